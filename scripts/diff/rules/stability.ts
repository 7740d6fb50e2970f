import type { Change } from '../change.ts';
import { isBeta, operationsIn } from '../contract.ts';
import { toPointer } from '../pointer.ts';
import type { Documents } from './documents.ts';

/** The way round the promise: what is stable never becomes beta. */
export function stabilityChanges({ released, current }: Documents): Change[] {
  const stable = stableKeys(released);
  return operationsIn(current)
    .filter(({ key, operation }) => stable.has(key) && isBeta(operation))
    .map(({ path, method }) => ({
      impact: 'major',
      rule: 'stable-became-beta',
      says: 'Is stable since its release, and is marked as beta now.',
      at: toPointer(['paths', path, method, 'x-stability']),
      isGone: false,
    }));
}

/** The operations under the promise of v1, as `GET /pets`. */
export function stableKeys(document: unknown): Set<string> {
  return new Set(
    operationsIn(document)
      .filter(({ operation }) => !isBeta(operation))
      .map(({ key }) => key),
  );
}
