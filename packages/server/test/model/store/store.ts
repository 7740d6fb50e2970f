import type { Order, Pet, Plan } from '@animal-store/contract';
import type { Caller, ModelRequest } from '../actions/action.ts';
import { type Etags, emptyEtags } from './etags.ts';
import type { Expected } from './expected.ts';

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

export type Quota = { perMinute: number; perDay: number };

export type StoredResponse = { request: ModelRequest; response: Expected; at: number };

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
