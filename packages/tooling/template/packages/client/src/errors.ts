import { type ApiError, type Caught, isKind, type Thrown } from '@contract-first/client';
import type { OperationErrors } from './generated/errors.ts';

/**
 * Whether the API refused a call.
 *
 * @param operation checks that it was a call of this operation, so that the error has its codes
 */
export function isApiError<Operation extends keyof OperationErrors, Given>(
  error: Caught<Given, Thrown<OperationErrors[Operation]>>,
  operation: Operation,
): error is Thrown<OperationErrors[Operation]>;
export function isApiError<Given>(error: Caught<Given, ApiError>): error is ApiError;
export function isApiError(error: unknown, operation?: string): boolean {
  return isKind(error, 'api', 'contractFirst', operation);
}
