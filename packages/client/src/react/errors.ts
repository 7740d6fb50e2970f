import type { ApiError, NetworkError } from '../errors.ts';
import { isSuccess, toApiError } from '../unwrap.ts';
import { type Call, type Callable, callOf, hookMethods } from './calls.ts';

/** Why a query or a mutation failed: the API refused (perhaps with a RateLimitError), or no reply came. */
export type AnimalStoreError = ApiError | NetworkError;

/**
 * The calls of a client with an exception in each `error`. openapi-react-query throws what stands there, without its
 * reply: so the hooks get the wait and the request id, too.
 */
export function throwingCalls(store: Callable): Record<string, Call> {
  return Object.fromEntries(hookMethods.map((method) => [method, throwing(callOf(store, method))]));
}

function throwing(call: Call): Call {
  return async (path, init) => {
    const result = await call(path, init);
    const { data, error, response } = result;
    // react-query treats undefined as the mistake of a query function that returns nothing.
    if (isSuccess(result)) return { data: data ?? null, response };
    // Also where the body is empty: openapi-react-query would take that for a success.
    return { error: toApiError(error, response), response };
  };
}
