import { ApiError, type ApiErrorParts, type ErrorDetail, RateLimitError, type RateLimitScope } from './errors.ts';
import { rateLimitOf, retryAfterOf } from './headers.ts';

/** The result of a call: `data` or `error`. */
export type Result<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * The data of a call: `const notes = await unwrap(client.GET('/notes'))`.
 *
 * @throws RateLimitError or ApiError if the result has an `error`; everything that the call throws
 */
export async function unwrap<Data>(call: Result<Data> | Promise<Result<Data>>): Promise<Data> {
  const result = await call;
  if (isSuccess(result)) return result.data;
  throw toApiError(result.error, result.response);
}

/** Whether a call succeeded. If the response has no body, its data is undefined, and `Data` includes undefined. */
export function isSuccess<Data>(result: Result<Data>): result is Result<Data> & { data: Data } {
  return result.error === undefined && (result.response.ok || result.response.status === 304);
}

/** The `error` of a call as an exception. */
export function toApiError<Code extends string = string, Detail = ErrorDetail>(
  error: unknown,
  response: Response,
): ApiError<Code, Detail>;
export function toApiError(error: unknown, response: Response): ApiError {
  const { status, headers } = response;
  const { body, data } = Object(error);
  const rateLimit = rateLimitOf(response);
  const parts = { ...readError(error, status), status, requestId: requestIdOf(response), rateLimit };
  const retryAfter = retryAfterOf(response) ?? 0;
  // While requests remain, another limit refused this one.
  const resetAt = rateLimit?.remaining === 0 ? rateLimit.reset : new Date(Date.now() + retryAfter);
  const scope = scopeOf(parts.code, retryAfter);
  const thrown = status === 429 ? new RateLimitError({ ...parts, scope, resetAt, retryAfter }) : new ApiError(parts);
  return Object.defineProperties(thrown, {
    // A request that was not sent has none.
    headers: { value: thrown.sent ? headers : undefined },
    body: { value: body },
    data: { value: data, enumerable: data !== undefined },
  });
}

/** The API does not name the window, but only the day can end in more than a minute. */
function scopeOf(code: string, retryAfter: number): RateLimitScope {
  if (code === 'key_banned') return 'ban';
  return retryAfter > 60_000 ? 'day' : 'minute';
}

/** The properties of the error of a call, or of any other body. */
function readError(value: unknown, status: number): Omit<ApiErrorParts, 'status' | 'requestId' | 'rateLimit'> {
  const given = Object(plainError(value));
  const { code, message, details, documentation, operation, idempotencyKey, attempts = 1, sent = true } = given;
  return {
    code: typeof code === 'string' ? code : 'unexpected_response',
    message: typeof message === 'string' ? message : `Not an API response (${status}).`,
    details: Array.isArray(details) ? details : [],
    ...{ documentation, operation, idempotencyKey, attempts, sent },
  };
}

/** The body of an error with `message` and `documentation`. A problem (RFC 9457) has `detail` or `title`, and `type`, instead. */
export function plainError(body: unknown): Record<string, unknown> {
  const { title, detail = title, type } = Object(body);
  return detail ? { message: detail, documentation: type, ...Object(body) } : Object(body);
}

/** Identifies a response in the logs of the API. */
export function requestIdOf({ headers }: Response): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}
