import { isDeepStrictEqual } from 'node:util';
import { basePath, limits, type OrderStatus, operations, type PetStatus } from '@animal-store/contract';
import type { Caller } from '../actions/action.ts';
import type { ModelRequest } from '../actions/request.ts';
import { type Expected, refusal } from './expected.ts';
import type { Page, Store } from './store.ts';

/**
 * What the model answers to a request, and what becomes of the store.
 *
 * @param freshId an identifier for what is made now: which one is the server's to choose
 */
export function answer(store: Store, request: ModelRequest, freshId: number): Expected {
  const { by, once } = request;
  if (once === undefined) return perform(store, request, freshId);
  const name = `${by} ${once}`;
  const kept = store.kept.get(name);
  if (kept !== undefined && store.now - kept.at <= limits.idempotencySeconds * 1_000) {
    return isDeepStrictEqual(kept.request, request)
      ? { ...kept.response, replayed: true }
      : refusal('idempotency_key_reused');
  }
  const response = perform(store, request, freshId);
  if (response.status < 300) store.kept.set(name, { request, response, at: store.now });
  return response;
}

function perform(store: Store, request: ModelRequest, freshId: number): Expected {
  switch (request.id) {
    case 'createPet': {
      const pet = { id: freshId, ...request.body };
      store.pets.push(pet);
      return { status: 201, body: { ...pet }, location: `${store.origin}${basePath}/pets/${freshId}` };
    }
    case 'getPet': {
      const pet = store.pets.find(({ id }) => id === request.petId);
      return pet === undefined ? refusal('pet_not_found') : { status: 200, body: { ...pet } };
    }
    case 'createOrder':
      return order(store, request.by, request.body.petId, freshId);
    case 'getOrder': {
      const found = ordersOf(store, request.by).find(({ id }) => id === request.orderId);
      return found === undefined ? refusal('order_not_found') : { status: 200, body: found };
    }
    case 'completeOrder':
      return endOrder(store, request.by, request.orderId, 'completed', 'sold');
    case 'cancelOrder':
      return endOrder(store, request.by, request.orderId, 'cancelled', 'available');
    case 'listPets':
      return page(store.pets, request);
    case 'listOrders':
      return page(ordersOf(store, request.by), request);
  }
}

function order(store: Store, by: Caller, petId: number, id: number): Expected {
  const pet = store.pets.find((candidate) => candidate.id === petId);
  if (pet === undefined) return refusal('pet_not_found');
  if (pet.status !== 'available') return refusal('pet_not_available');
  pet.status = 'pending';
  const placed = { id, petId, status: 'placed' as const, createdAt: new Date(store.now).toISOString() };
  store.orders.push({ ...placed, by });
  return { status: 201, body: placed, location: `${store.origin}${basePath}/store/orders/${id}` };
}

function endOrder(store: Store, by: Caller, orderId: number, end: OrderStatus, petStatus: PetStatus): Expected {
  const found = store.orders.find((candidate) => candidate.id === orderId && candidate.by === by);
  if (found === undefined) return refusal('order_not_found');
  if (found.status !== 'placed') return refusal('order_not_placed');
  found.status = end;
  for (const pet of store.pets) if (pet.id === found.petId) pet.status = petStatus;
  const { by: _, ...body } = found;
  return { status: 200, body };
}

function ordersOf(store: Store, by: Caller) {
  return store.orders.filter((candidate) => candidate.by === by).map(({ by: _, ...placed }) => placed);
}

function page(entries: { id: number; status?: string }[], { limit, status, start }: Page): Expected {
  const most = limit ?? operations.listPets.defaults.limit;
  const wanted = entries.filter((entry) => status === undefined || entry.status === status);
  const rest = wanted.filter(({ id }) => id > (start?.after ?? 0));
  const body = rest.slice(0, most).map((entry) => ({ ...entry }));
  const last = body.at(-1);
  return { status: 200, body, ...(rest.length > most && last !== undefined ? { lastOfMore: last.id } : {}) };
}
