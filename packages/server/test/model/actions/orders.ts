import { basePath, enumerations, limits, type Order, type OrderStatus, type PetStatus } from '@animal-store/contract';
import fc from 'fast-check';
import { type Caller, defineAction, idAt, index, limit, listing, type OperationAction } from '../action.ts';
import { assignedIds, type Expected, refusal, type Store } from '../store.ts';
import { hasPlacedOrder, petOf } from './pets.ts';

/** The orders of one key, as that key sees them. */
export function ordersOf({ orders }: Store, by: Caller): Order[] {
  return orders.filter((candidate) => candidate.by === by).map(({ by: _, ...order }) => order);
}

/** The two ways in which an order ends. */
export function endOfOrder(
  id: 'completeOrder' | 'cancelOrder',
  end: OrderStatus,
  petStatus: PetStatus,
): OperationAction {
  return defineAction<{ order: number }>(id, {
    weight: 3,
    parts: { order: index },
    plan: (store, { order }) => {
      const orderId = idAt(assignedIds(store, id), order);
      return { call: { path: { orderId } }, answer: (now, { by }) => endOrder(now, by, orderId, end, petStatus) };
    },
  });
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

export const createOrder = defineAction<{ pet: number }>('createOrder', {
  weight: 8,
  parts: { pet: index },
  plan: (before, { pet }) => {
    const petId = idAt(assignedIds(before, 'createPet'), pet);
    return {
      call: { body: { petId } },
      answer: (store, { freshId: id, by }) => {
        if (petOf(store, petId) === undefined) return refusal('pet_not_found');
        if (hasPlacedOrder(store, petId) || petOf(store, petId)?.status !== 'available')
          return refusal('pet_not_available');
        store.pets = store.pets.map((pet) => (pet.id === petId ? { ...pet, status: 'pending' } : pet));
        const [createdAt = '', expiresAt = ''] = [0, limits.orderSeconds].map((seconds) =>
          new Date(store.now + seconds * 1_000).toISOString(),
        );
        const placed = { id, petId, status: 'placed' as const, createdAt, expiresAt };
        store.orders.push({ ...placed, by });
        assignedIds(store, 'createOrder').push(id);
        return { status: 201, body: placed, location: `${store.origin}${basePath}/store/orders/${id}` };
      },
    };
  },
});

export const getOrder = defineAction<{ order: number }>('getOrder', {
  weight: 4,
  parts: { order: index },
  plan: (before, { order }) => {
    const orderId = idAt(assignedIds(before, 'getOrder'), order);
    return {
      call: { path: { orderId } },
      answer: (store, { by }) => {
        const found = ordersOf(store, by).find(({ id }) => id === orderId);
        return found === undefined ? refusal('order_not_found') : { status: 200, body: found };
      },
    };
  },
});

export const listOrders = defineAction<{ limit?: number; status?: OrderStatus }>('listOrders', {
  weight: 3,
  parts: { limit, status: fc.constantFrom(...enumerations.OrderStatus) },
  optional: ['limit', 'status'],
  plan: (_, { limit: most, status }) =>
    listing(ordersOf, { limit: most, status }, (order) => status === undefined || order.status === status),
});

export const completeOrder = endOfOrder('completeOrder', 'completed', 'sold');

export const cancelOrder = endOfOrder('cancelOrder', 'cancelled', 'available');
