import type { OperationId } from '@animal-store/contract';
import type { Request } from 'express';
import type { Input } from '../contract/operation.ts';

/**
 * The request as the contract promises it, for its operation. The only place where the validator's word becomes a type.
 * @throws Error when the request was not validated as this operation
 */
export function validatedInput<Id extends OperationId>({ context }: Request, id: Id): Input<Id> {
  const { route, validated } = context;
  if (route.kind !== 'operation' || route.id !== id || !isInput<Id>(validated)) {
    throw new Error(`The request was not validated as ${id}.`);
  }
  return validated;
}

/** What the validator has passed is an operation's input: it checked each part against the schemas the types come from. */
function isInput<Id extends OperationId>(validated: Request['context']['validated']): validated is Input<Id> {
  return validated !== undefined;
}
