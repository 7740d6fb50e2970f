import type { AnimalStore } from '../animal-store.ts';
import type { ApiError, NetworkError } from '../errors.ts';
import { toApiError } from '../unwrap.ts';
import { type Call, callOf } from './calls.ts';

/** Why a query or a mutation failed: the API refused (perhaps with a RateLimitError), or no reply came. */
export type AnimalStoreError = ApiError | NetworkError;

/**
 * The calls of a client with an exception in each `error`. openapi-react-query throws what stands there, without its
 * reply: so the hooks get the wait and the request id, too.
 */
export function throwingCalls(store: AnimalStore): { GET: Call; POST: Call } {
  return { GET: throwing(callOf(store, 'GET')), POST: throwing(callOf(store, 'POST')) };
}

function throwing(call: Call): Call {
  return async (path, init) => {
    const { error, ...result } = await call(path, init);
    // Also where the body is empty: openapi-react-query would take that for a success.
    return result.response.ok ? result : { ...result, error: toApiError(error, result.response) };
  };
}
