import type { ErrorRequestHandler, Request } from 'express';
import type { Logger } from 'pino';
import type { Responder } from '../http/respond.ts';
import { ApiError, OverloadError, statusOf } from '../openapi/api-error.ts';
import { type ErrorTextOf, errorResponse } from '../openapi/error-body.ts';
import { ContractViolationError } from '../openapi/response-check.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import { OutcomeUnknownError, StorageUnavailableError } from '../storage/storage.ts';
import { ensureCounted } from './limit.ts';
import { identityOf, traceFields } from './observe-responses.ts';
import { ReturnedError } from './run-operation.ts';

/** Turns every error into a documented `Error` response. Causes are logged, never sent. */
export function handleErrors(
  limiter: Limiter,
  log: Logger,
  responder: Responder,
  errorText: ErrorTextOf,
): ErrorRequestHandler {
  return async (error: unknown, request, response, _next) => {
    const { context } = request;
    if (response.writableEnded && Object(error).code === 'ERR_HTTP_HEADERS_SENT') return;
    // The caller disconnected, and the operation ended because its signal aborted.
    if (response.destroyed && error instanceof Error && error.name === 'AbortError') return;
    if (error instanceof ReturnedError) return responder.send(request, response, error.cause);
    const apiError = toApiError(error);
    const { contract } = context.contract;
    context.errorCode ??= apiError.code;
    // An overload is not a failure, and logging each refusal would add to it. The access log contains all of them.
    if (statusOf(apiError, contract) >= 500 && !(error instanceof OverloadError)) {
      log.error({ ...causeForLog(error), ...logFieldsOf(request) }, 'request failed');
    }
    // Part of the response is already sent. Closing the connection is the only way to mark it as incomplete.
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    const responseFor = (one: ApiError) => errorResponse(one, context, errorText);
    const isCounted = await ensureCounted(context, request.ip ?? '', limiter);
    if (!isCounted) return responder.sendUnchecked(request, response, responseFor(apiError));
    try {
      await responder.send(request, response, responseFor(apiError));
    } catch (violation) {
      if (!(violation instanceof ContractViolationError)) throw violation;
      context.errorCode = 'internal_error';
      log.error({ err: violation, ...logFieldsOf(request) }, 'the error response is not documented');
      responder.sendUnchecked(request, response, responseFor(internalError(violation)));
    }
  };
}

function logFieldsOf(request: Request): object {
  return { ...identityOf(request), ...traceFields(request.context.trace) };
}

/** An outage fails many requests in the same way, so the reason is enough; a stack helps only to find a mistake of our own. */
function causeForLog(error: unknown): object {
  // body-parser adds the request's body to its errors.
  if (error instanceof Error) Reflect.deleteProperty(error, 'body');
  if (!(error instanceof StorageUnavailableError)) return { err: error };
  const { cause } = error;
  return { unavailable: error.reason, cause: cause instanceof Error ? cause.message : String(cause) };
}

/** The documented error to send for an error; `internal_error` for an unexpected one. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof OutcomeUnknownError) return outcomeUnknown(error);
  if (error instanceof StorageUnavailableError) return unavailable(error);
  // Middleware of an API, such as body-parser, marks the errors of callers. Their own messages quote the body.
  if (Object(error).expose === true)
    return new ApiError('invalid_request', 'The body cannot be read. Send a valid body in UTF-8.');
  // PostgreSQL stores U+0000 neither in text nor in JSON.
  if (/^(22021|22P05)$/.test(Object(error).code))
    return new ApiError('invalid_request', 'The request contains U+0000, which cannot be stored. Remove it.');
  return internalError(error);
}

const retryAfterSeconds = 2;
const headers = { 'Retry-After': String(retryAfterSeconds) };

function unavailable(cause?: unknown): ApiError {
  const message = `The service is temporarily unavailable. Nothing was changed. Try again in ${retryAfterSeconds} seconds.`;
  return new ApiError('service_unavailable', message, { headers, cause });
}

function outcomeUnknown(cause: unknown): ApiError {
  const message = `The service was interrupted, and your request may or may not have taken effect. Send it again in ${retryAfterSeconds} seconds with the same Idempotency-Key. If it had no Idempotency-Key, first check whether it took effect.`;
  return new ApiError('service_unavailable', message, { headers, cause });
}

function internalError(cause: unknown): ApiError {
  const message = 'Something went wrong on the server. If the error persists, report it with the X-Request-Id.';
  return new ApiError('internal_error', message, { cause });
}
