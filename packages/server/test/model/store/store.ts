import type { Order, Pet } from '@animal-store/contract';
import type { Caller, ModelRequest } from '../actions/action.ts';
import { type Etags, emptyEtags } from './etags.ts';
import type { Expected } from './expected.ts';

/** The state of a server, in memory and as simple as possible. */
export type Store = {
  /** In Unix milliseconds. */
  now: number;
  /** The current origin of the server. */
  origin: string;
  /** The identifiers of the two API keys. */
  keyIds: readonly [string, string];
  pets: Pet[];
  orders: (Order & { by: Caller })[];
  /** Every identifier that was ever assigned, the newest last. */
  petIds: number[];
  orderIds: number[];
  etags: Etags;
  /** The first responses, by caller and Idempotency-Key. */
  stored: Map<string, StoredResponse>;
  /** Requests for the pages from Link headers. */
  links: ModelRequest[];
  /** The requests that had an Idempotency-Key. */
  repeatable: ModelRequest[];
};

export type StoredResponse = { request: ModelRequest; response: Expected; at: number };

export function emptyStore(now: number, origin: string, keyIds: readonly [string, string]): Store {
  return {
    now,
    origin,
    keyIds,
    pets: [],
    orders: [],
    petIds: [],
    orderIds: [],
    etags: emptyEtags(),
    stored: new Map(),
    links: [],
    repeatable: [],
  };
}
