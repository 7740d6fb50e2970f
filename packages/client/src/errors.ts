/** The errors of the client, with the codes of the contract. */
import type { ErrorCode, ErrorDetail } from '@animal-store/contract/types';
import * as core from '@contract-first/client';
import type { OperationErrors } from './generated/errors.ts';

/** The code of an error: from the contract, from a newer contract than this client knows, or `unexpected_response`. */
export type AnyErrorCode = ErrorCode | core.OtherErrorCode;

/**
 * The `error` of a call. If the response did not come from the API or is unusable (a gateway's page, a redirect, broken
 * JSON, too many bytes), `code` is `unexpected_response`.
 */
export type CallError = core.CallError<AnyErrorCode, ErrorDetail>;

/** The API refused the request, or its response cannot be used (`unexpected_response`). */
export type ApiError = core.ApiError<AnyErrorCode, ErrorDetail>;
export const ApiError: new (parts: core.ApiErrorParts<AnyErrorCode, ErrorDetail>) => ApiError = core.ApiError;

/** The API refuses requests for now. If the client already knows that, it does not send the request. */
export type RateLimitError = core.RateLimitError<AnyErrorCode, ErrorDetail>;
export const RateLimitError: new (parts: core.RateLimitErrorParts<AnyErrorCode, ErrorDetail>) => RateLimitError =
  core.RateLimitError;

/** The `error` of a call as an exception. */
export const toApiError: (error: unknown, response: Response) => ApiError = core.toApiError;

/** The property with the kinds of an error in version 1.1.0, of which an application may contain a copy. */
const earlierName = 'animalStore';

/**
 * Whether the API refused; also true for a RateLimitError.
 *
 * @param operation checks that a call of this operation failed, so that the error has its codes: `POST /pets`
 */
export function isApiError<Operation extends keyof OperationErrors, Given>(
  error: core.Caught<Given, core.Thrown<OperationErrors[Operation]>>,
  operation: Operation,
): error is core.Thrown<OperationErrors[Operation]>;
export function isApiError<Given>(error: core.Caught<Given, ApiError>): error is ApiError;
export function isApiError(error: unknown, operation?: string): boolean {
  return core.isKind(error, 'api', earlierName, operation);
}

export function isRateLimitError<Given>(error: core.Caught<Given, RateLimitError>): error is RateLimitError {
  return core.isKind(error, 'rate-limit', earlierName);
}

/** Whether no response arrived; also true for a TimeoutError. */
export function isNetworkError(error: unknown): error is core.NetworkError {
  return core.isKind(error, 'network', earlierName);
}

export function isTimeoutError(error: unknown): error is core.TimeoutError {
  return core.isKind(error, 'timeout', earlierName);
}

/** Whether the caller aborted the call. */
export function isAbortError(error: unknown): error is core.AbortError {
  return core.isKind(error, 'abort', earlierName);
}
