import { isDeepStrictEqual } from 'node:util';
import { limits } from '@animal-store/contract';
import type { ModelRequest } from '../actions/action.ts';
import { bodyOf } from './etags.ts';
import { type Expected, refusal } from './expected.ts';
import type { Store } from './store.ts';

/**
 * What the model answers to a request, and what becomes of the store.
 *
 * @param freshId an identifier for what is made now: which one is the server's to choose
 */
export function answer(store: Store, request: ModelRequest, freshId: number): Expected {
  const { by, once } = request;
  if (once === undefined) return unlessKnown(store, request, request.answer(store, { by, freshId }));
  const name = `${by} ${once}`;
  const kept = store.kept.get(name);
  if (kept !== undefined && store.now - kept.at <= limits.idempotencySeconds * 1_000) {
    const isSame = kept.request.id === request.id && isDeepStrictEqual(kept.request.call, request.call);
    return isSame ? { ...kept.response, replayed: true } : refusal('idempotency_key_reused');
  }
  const response = request.answer(store, { by, freshId });
  if (response.status < 300) store.kept.set(name, { request, response, at: store.now });
  return response;
}

/** A 304 for a caller that already has the current body. */
function unlessKnown({ etags }: Store, { call }: ModelRequest, response: Expected): Expected {
  const etag = call.headers?.['If-None-Match'];
  if (etag === undefined || response.status !== 200) return response;
  const { body, next, ...others } = response;
  return etags.bodies.get(etag) === bodyOf(body, next) ? { ...others, status: 304, body: undefined, etag } : response;
}
