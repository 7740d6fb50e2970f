import { type OperationId, operationFacts } from '@animal-store/contract';
import type { Store } from './store.ts';

/**
 * Every identifier that the server ever assigned to resources of an operation's kind, the newest last. The contract says which
 * operations belong together: those with the same path up to its first parameter, such as `/pets` and `/pets/{petId}`.
 */
export function assignedIds({ ids }: Store, operation: OperationId): number[] {
  const collection = collectionOf(operation);
  const assigned = ids.get(collection) ?? [];
  ids.set(collection, assigned);
  return assigned;
}

function collectionOf(operation: OperationId): string {
  return operationFacts[operation].path.split('/{')[0] ?? '';
}
