import type { ErrorDetail } from '@animal-store/contract';
import { ApiError, RateLimitError, type RateLimitScope } from './errors.ts';
import { rateLimitOf, retryAfterOf } from './headers/rate-limit.ts';

/** What a call resolves to: `data`, or `error` as the API sent it. */
export type Result<Data> = { data?: Data; error?: unknown; response: Response };

/**
 * The data of a call, for those who like exceptions: `const pets = await unwrap(store.GET('/pets'))`.
 *
 * @throws RateLimitError, ApiError when the API refused; a NetworkError of the call goes through
 */
export async function unwrap<Data>(call: Result<Data> | Promise<Result<Data>>): Promise<Data> {
  const result = await call;
  if (isSuccess(result)) return result.data;
  throw toApiError(result.error, result.response);
}

/** Whether a call succeeded. If the response has no body, its data is undefined, and `Data` includes undefined. */
export function isSuccess<Data>(result: Result<Data>): result is Result<Data> & { data: Data } {
  return result.response.ok || result.response.status === 304;
}

/** A refusal as an exception: the `error` and the `response` of a call. An unknown code or body becomes an ApiError. */
export function toApiError(error: unknown, response: Response): ApiError {
  const { status, headers } = response;
  const rateLimit = rateLimitOf(response);
  const requestId = headers.get('X-Request-Id') ?? undefined;
  const parts = { ...readBody(error, status), status, requestId, rateLimit };
  if (status !== 429) return new ApiError(parts);
  const now = Date.now();
  const retryAfter = retryAfterOf(response, now) ?? 0;
  const resetAt = rateLimit?.reset ?? new Date(now + retryAfter * 1_000);
  return new RateLimitError({ ...parts, scope: scopeOf(parts.code, retryAfter), resetAt, retryAfter });
}

/** The API does not name the window; one that ends in more than a minute is the day. */
function scopeOf(code: string, retryAfter: number): RateLimitScope {
  if (code === 'key_banned') return 'ban';
  return retryAfter > 60 ? 'day' : 'minute';
}

/** The body as the contract has it, as far as it does: a proxy on the way may have sent its own. */
function readBody(body: unknown, status: number): { code: string; message: string; details: readonly ErrorDetail[] } {
  const read = typeof body === 'object' && body !== null ? body : {};
  const { code, message, details }: { code?: unknown; message?: unknown; details?: unknown } = read;
  return {
    code: typeof code === 'string' ? code : 'unknown_error',
    message: typeof message === 'string' ? message : `The reply had the status ${status}.`,
    details: Array.isArray(details) ? details : [],
  };
}
