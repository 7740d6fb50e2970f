import type { Order, OrderStatus, Pet, PetStatus } from '@animal-store/contract';
import type { Caller } from '../actions/action.ts';
import type { ModelRequest } from '../actions/request.ts';
import type { Expected } from './expected.ts';

/** All that a server has to remember, in memory and without any cleverness. */
export type Store = {
  /** In Unix milliseconds. */
  now: number;
  /** Where the server is reached at the moment. */
  origin: string;
  pets: Pet[];
  orders: (Order & { by: Caller })[];
  /** The first responses, by caller and Idempotency-Key. */
  kept: Map<string, Kept>;
  /** The pages that a Link named. */
  links: Extract<ModelRequest, { id: 'listPets' | 'listOrders' }>[];
  /** The requests that had an Idempotency-Key. */
  repeatable: ModelRequest[];
};

export type Kept = { request: ModelRequest; response: Expected; at: number };

/** What a listing is asked for. */
export type Page = {
  limit?: number;
  status?: PetStatus | OrderStatus;
  /** Left out for the first page: after which id it starts, and what the query says for that. */
  start?: { after: number; query: string };
};

export function emptyStore(now: number, origin: string): Store {
  return { now, origin, pets: [], orders: [], kept: new Map(), links: [], repeatable: [] };
}
