import type { Order, Pet } from '@animal-store/contract';
import type { Caller, ModelRequest } from '../actions/action.ts';
import { type Etags, emptyEtags } from './etags.ts';
import type { Expected } from './expected.ts';

/** All that a server has to remember, in memory and without any cleverness. */
export type Store = {
  /** In Unix milliseconds. */
  now: number;
  /** Where the server is reached at the moment. */
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
  kept: Map<string, Kept>;
  /** The pages that a Link named. */
  links: ModelRequest[];
  /** The requests that had an Idempotency-Key. */
  repeatable: ModelRequest[];
};

export type Kept = { request: ModelRequest; response: Expected; at: number };

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
    kept: new Map(),
    links: [],
    repeatable: [],
  };
}
