import { isDeepStrictEqual } from 'node:util';
import { limits } from '@animal-store/contract';
import type { ModelRequest } from '../actions/action.ts';
import { bodyOf } from './etags.ts';
import { type Expected, refusal } from './expected.ts';
import { refusalOfCaller } from './keys.ts';
import type { Store } from './store.ts';

/**
 * Returns the response that the model predicts, and updates the store.
 *
 * @param freshId the ID of a resource that the request creates, which the server chooses
 */
export function answer(store: Store, request: ModelRequest, freshId: number): Expected {
  const { by, once } = request;
  const refused = refusalOfCaller(store, request);
  if (refused !== undefined) return refused;
  if (request.refused !== undefined) return request.refused;
  if (once === undefined) return unlessKnown(store, request, request.answer(store, { by, freshId }));
  const name = `${by} ${once}`;
  const earlier = store.stored.get(name);
  if (earlier !== undefined && store.now - earlier.at <= limits.idempotencySeconds * 1_000) {
    const isSame = earlier.request.id === request.id && isDeepStrictEqual(earlier.request.call, request.call);
    return isSame ? { ...earlier.response, replayed: true } : refusal('idempotency_key_reused');
  }
  const response = request.answer(store, { by, freshId });
  if (response.status < 300) store.stored.set(name, { request, response, at: store.now });
  return response;
}

/** A 304 for a caller that already has the current body. */
function unlessKnown({ etags }: Store, { call }: ModelRequest, response: Expected): Expected {
  const etag = call.headers?.['If-None-Match'];
  if (etag === undefined || response.status !== 200) return response;
  const { body, next, ...others } = response;
  return etags.bodies.get(etag) === bodyOf(body, next) ? { ...others, status: 304, body: undefined, etag } : response;
}
