import type { NewOrder, NewPet } from '@animal-store/contract';
import type { CallParts } from '../../harness.ts';
import type { Page, Store } from '../store/store.ts';
import type { Action, Caller } from './action.ts';

/** A request with the identifiers that the server gave out, as it is sent and as the model answers it. */
export type ModelRequest = { by: Caller; once?: number } & (
  | { id: 'createPet'; body: NewPet }
  | { id: 'createOrder'; body: NewOrder }
  | { id: 'getPet'; petId: number }
  | { id: 'getOrder' | 'completeOrder' | 'cancelOrder'; orderId: number }
  | ({ id: 'listPets' | 'listOrders' } & Page)
);

export type CallAction = Exclude<Action, { do: 'wait' | 'restart' }>;

/** The request that an action stands for; undefined when there is nothing yet to follow or to repeat. */
export function requestOf(store: Store, action: CallAction): ModelRequest | undefined {
  const { by } = action;
  switch (action.do) {
    case 'createPet':
      return { id: action.do, by, ...onceOf(action), body: action.pet };
    case 'createOrder':
      return { id: action.do, by, ...onceOf(action), body: { petId: idAt(store.pets, action.pet) } };
    case 'getPet':
      return { id: action.do, by, petId: idAt(store.pets, action.pet) };
    case 'getOrder':
      return { id: action.do, by, orderId: idAt(store.orders, action.order) };
    case 'completeOrder':
    case 'cancelOrder':
      return { id: action.do, by, ...onceOf(action), orderId: idAt(store.orders, action.order) };
    case 'listPets':
    case 'listOrders': {
      const { do: id, ...page } = action;
      return { id, ...page };
    }
    case 'follow': {
      const link = store.links.at(-1 - action.link);
      return link === undefined ? undefined : { ...link, by };
    }
    case 'repeat': {
      const sent = store.repeatable.at(-1 - action.request);
      return sent === undefined ? undefined : { ...sent, by };
    }
  }
}

function onceOf({ once }: { once?: number }): { once?: number } {
  return once === undefined ? {} : { once };
}

/** Counted from the newest; beyond the oldest it is the id of what does not exist yet. */
function idAt(entries: readonly { id: number }[], index: number): number {
  return entries.at(-1 - index)?.id ?? (entries.at(-1)?.id ?? 0) + 1;
}

/** The request as an HTTP call, but for the API key. */
export function callOf(request: ModelRequest): CallParts {
  const headers = request.once === undefined ? {} : { 'Idempotency-Key': `once-${request.once}` };
  switch (request.id) {
    case 'createPet':
    case 'createOrder':
      return { headers, body: request.body };
    case 'getPet':
      return { headers, path: { petId: request.petId } };
    case 'listPets':
    case 'listOrders':
      return { headers, query: queryOf(request) };
    default:
      return { headers, path: { orderId: request.orderId } };
  }
}

/** A page that a Link names is asked for as the Link says. */
function queryOf({ limit, status, start }: Page): string {
  if (start !== undefined) return start.query;
  const given = Object.entries({ limit, status }).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}
