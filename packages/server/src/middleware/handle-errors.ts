import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { ApiError } from '../contract/api-error.ts';
import { ContractViolationError } from '../contract/response-check.ts';
import { ensureVerdict } from '../http/context.ts';
import type { OutgoingResponse, Responder } from '../http/respond.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { OutcomeUnknownError, StorageUnavailableError } from '../storage/storage.ts';

/**
 * Turns whatever went wrong into an `Error` of the contract. Causes go to the log, never into the response.
 *
 * @param uncheckedExit for the 500 in place of an error response that is itself not as documented
 */
export function handleErrors(
  limiter: Limiter,
  log: Logger,
  exit: Responder,
  uncheckedExit: Responder,
): ErrorRequestHandler {
  return async (error: unknown, request, response, _next) => {
    // A broken body was answered while its request was still on its way.
    if (response.writableEnded && isSecondResponse(error)) return;
    const refusal = toApiError(error);
    // A broken body may have been refused already; what its caller was told is what counts.
    request.context.refusal ??= refusal.code;
    if (refusal.status >= 500) log.error({ err: error, requestId: request.context.id }, 'request failed');
    // The response is under way, so it cannot be replaced; cutting it short is the only honest sign.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    await ensureVerdict(request.context, request.ip ?? '', limiter);
    try {
      exit.send(request, response, responseOf(refusal));
    } catch (violation) {
      if (!(violation instanceof ContractViolationError)) throw violation;
      log.error({ err: violation, requestId: request.context.id }, 'error response is not as documented');
      uncheckedExit.send(request, response, responseOf(internalError(violation)));
    }
  };
}

function isSecondResponse(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_HTTP_HEADERS_SENT';
}

function responseOf(error: ApiError): OutgoingResponse {
  return { status: error.status, headers: error.headers, json: JSON.stringify(error.body) };
}

/** The refusal that stands for an error; `internal_error` for what nobody foresaw. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof OutcomeUnknownError) return outcomeUnknown(error);
  if (error instanceof StorageUnavailableError) return unavailable(error);
  return internalError(error);
}

/** 503 with when to try again. */
export function unavailable(cause?: unknown): ApiError {
  return new ApiError(
    'service_unavailable',
    'The service cannot answer at the moment. Nothing was changed. Try again in 2 seconds.',
    {
      headers: { 'Retry-After': '2' },
      cause,
    },
  );
}

/** 503 without the promise that nothing was changed. */
function outcomeUnknown(cause: unknown): ApiError {
  const message =
    'The service was cut off, and cannot say whether the request was carried out. Send it again in 2 seconds with the same Idempotency-Key; without one, look first.';
  return new ApiError('service_unavailable', message, { headers: { 'Retry-After': '2' }, cause });
}

function internalError(cause: unknown): ApiError {
  const message = 'Something went wrong on our side. Quote the X-Request-Id when you report it.';
  return new ApiError('internal_error', message, { cause });
}
