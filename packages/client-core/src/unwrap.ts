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
  const { status } = response;
  const rateLimit = rateLimitOf(response);
  const parts = { ...readError(error, status), status, requestId: requestIdOf(response), rateLimit };
  if (status !== 429) return withResponse(new ApiError(parts), error, response);
  const retryAfter = retryAfterOf(response) ?? 0;
  // While requests remain, another limit refused this one.
  const resetAt = rateLimit?.remaining === 0 ? rateLimit.reset : new Date(Date.now() + retryAfter);
  const scope = scopeOf(parts.code, retryAfter);
  return withResponse(new RateLimitError({ ...parts, scope, resetAt, retryAfter }), error, response);
}

/** What support may ask for. A request that was not sent has no headers. */
function withResponse(thrown: ApiError, error: unknown, { headers }: Response): ApiError {
  const { body } = Object(error);
  return Object.defineProperties(thrown, {
    headers: { value: thrown.sent ? headers : undefined },
    body: { value: body },
  });
}

/** The API does not name the window, but only the day can end in more than a minute. */
function scopeOf(code: string, retryAfter: number): RateLimitScope {
  if (code === 'key_banned') return 'ban';
  return retryAfter > 60_000 ? 'day' : 'minute';
}

/** The optional fields of the contract's Error, and those that the client adds, each with a value of its type. */
const samples = { message: '', documentation: '', operation: '', idempotencyKey: '', attempts: 0, sent: true };

/** The fields of an error that the value has with the right types. */
function readError(value: unknown, status: number): Pick<ApiErrorParts, 'code' | 'message' | 'details'> {
  const given = plainError(value);
  const { code, details } = given;
  return {
    code: typeof code === 'string' ? code : 'unexpected_response',
    message: `The response has the status ${status} and is not an error of the API.`,
    details: Array.isArray(details) ? details : [],
    ...Object.fromEntries(
      Object.entries(samples).flatMap(([name, sample]) =>
        typeof given[name] === typeof sample ? [[name, given[name]]] : [],
      ),
    ),
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
