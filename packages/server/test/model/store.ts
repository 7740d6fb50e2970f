import { isDeepStrictEqual } from 'node:util';
import {
  type ErrorCode,
  errorStatus,
  limits,
  type OperationId,
  type Order,
  type Pet,
  type Plan,
} from '@animal-store/contract';
import { operationFacts } from '../contract.ts';
import { identityOf } from '../fuzz/schema.ts';
import type { Caller, ModelRequest } from './action.ts';

/** The parts of a response that the model predicts. */
export type Expected = {
  status: number;
  /** For an error only its code and status, because the wording may change. */
  body: unknown;
  /** The Location header; undefined if the response has none. */
  location?: string;
  /** The last ID of the page if more pages follow; otherwise undefined. */
  lastOfMore?: number;
  /** Identifies the next page: equal texts mean the same next page. */
  next?: string;
  /** Whether the response has `Idempotency-Replayed: true`. */
  replayed?: boolean;
  /** For a 304, the ETag that the caller already has. */
  etag?: string;
};

export function refusal(code: ErrorCode): Expected {
  return { status: errorStatus[code], body: { code, status: errorStatus[code] } };
}

/** The state of a server, in memory and as simple as possible. */
export type Store = {
  /** In Unix milliseconds. */
  now: number;
  /** The current origin of the server. */
  origin: string;
  /** The two API keys. */
  keys: readonly [ModelKey, ModelKey];
  /** Requests by caller and window, and by caller and operation. */
  counts: Map<string, number>;
  pets: Pet[];
  orders: (Order & { by: Caller })[];
  /** Every identifier that was ever assigned, by the collection's path; see `assignedIds`. */
  ids: Map<string, number[]>;
  etags: Etags;
  /** The first responses, by caller and Idempotency-Key. */
  stored: Map<string, StoredResponse>;
  /** Requests for the pages from Link headers. */
  links: ModelRequest[];
  /** The requests that had an Idempotency-Key. */
  repeatable: ModelRequest[];
};

/** An API key. Times are Unix milliseconds; a key without an end has `Infinity`. */
export type ModelKey = {
  id: string;
  plan: Plan;
  limits: Quota;
  secret: string;
  endsAt: number;
  /** The secret before the last rotation. */
  older?: { secret: string; endsAt: number };
};

type Quota = { perMinute: number; perDay: number };

type StoredResponse = { request: ModelRequest; response: Expected; at: number };

export function emptyStore(now: number, origin: string, keys: readonly [ModelKey, ModelKey]): Store {
  return {
    now,
    origin,
    keys,
    counts: new Map(),
    pets: [],
    orders: [],
    ids: new Map(),
    etags: emptyEtags(),
    stored: new Map(),
    links: [],
    repeatable: [],
  };
}

/**
 * Every identifier that the server ever assigned to resources of an operation's kind, the newest last. The contract says which
 * operations belong together: those with the same path up to its first parameter, such as `/pets` and `/pets/{petId}`.
 */
export function assignedIds({ ids }: Store, operation: OperationId): number[] {
  const collection = collectionOf(operation);
  const assigned = ids.get(collection) ?? [];
  ids.set(collection, assigned);
  return assigned;
}

function collectionOf(operation: OperationId): string {
  return operationFacts[operation].path.split('/{')[0] ?? '';
}

/** The ETags that the model has seen. Each body has one ETag, and different bodies have different ETags. */
type Etags = {
  /** The body of each ETag, the most recently seen last. */
  bodies: Map<string, string>;
  /** The ETags that each operation has sent. */
  seen: Map<string, string[]>;
};

function emptyEtags(): Etags {
  return { bodies: new Map(), seen: new Map() };
}

/** The content that an ETag identifies: a body, regardless of the order of its properties, and the next page in Link. */
export function bodyOf(body: unknown, next?: string): string {
  return `${identityOf(body)}${next ?? ''}`;
}

/** The ETag of a body; undefined if it was never sent. */
export function etagOfBody({ bodies }: Etags, wanted: string): string | undefined {
  return [...bodies].find(([, body]) => body === wanted)?.[0];
}

export function etagsSeenBy({ seen }: Etags, id: string): string[] {
  return seen.get(id) ?? [];
}

/** Remembers the ETag of a response, and returns its problems. */
export function learnEtag(etags: Etags, id: string, { body, next }: Expected, etag: string | null): string[] {
  if (etag === null) return ['the header ETag is missing'];
  const expected = bodyOf(body, next);
  const other = etags.bodies.get(etag);
  const before = etagOfBody(etags, expected);
  etags.bodies.delete(etag);
  etags.bodies.set(etag, expected);
  etags.seen.set(id, [...etagsSeenBy(etags, id).filter((seen) => seen !== etag), etag]);
  if (other !== undefined && other !== expected) return [`the ETag ${etag} is that of another body, ${other}`];
  if (before !== undefined && before !== etag)
    return [`the ETag should be ${before}, as of the same body before, and is ${etag}`];
  return [];
}

export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** The secret that a request uses, and its end: the one before the last rotation if there was one and `isOlder` asks for it. */
export function secretOf(
  { keys }: Store,
  { by, isOlder }: Pick<ModelRequest, 'by' | 'isOlder'>,
): { secret: string; endsAt: number } {
  const { secret, endsAt, older } = keys[by];
  if (isOlder !== true || older === undefined) return { secret, endsAt };
  return { secret: older.secret, endsAt: Math.min(endsAt, older.endsAt) };
}

/** Counts a request of a key. Returns the refusal if the key has ended, or the operation was removed. A public operation has no key. */
function refusalOfCaller(store: Store, request: ModelRequest): Expected | undefined {
  const { id, by } = request;
  const { deprecation, security } = operationFacts[id];
  const hasKey = security.length > 0;
  if (hasKey && secretOf(store, request).endsAt <= store.now) return refusal('api_key_invalid');
  for (const name of hasKey ? [windowName(store, by, MINUTE), windowName(store, by, DAY)] : []) {
    store.counts.set(name, (store.counts.get(name) ?? 0) + 1);
  }
  const isRemoved = deprecation !== null && Date.parse(deprecation.sunset) <= store.now;
  return isRemoved ? refusal('operation_removed') : undefined;
}

/** The state of a quota, as callers see it. */
export function windowOf(store: Store, by: Caller, length: number) {
  const { perMinute, perDay } = store.keys[by].limits;
  const limit = length === MINUTE ? perMinute : perDay;
  const remaining = limit - (store.counts.get(windowName(store, by, length)) ?? 0);
  return { limit, remaining, reset: ((Math.floor(store.now / length) + 1) * length) / 1_000 };
}

function windowName({ now }: Store, by: Caller, length: number): string {
  return `${by} ${length} ${Math.floor(now / length)}`;
}

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
