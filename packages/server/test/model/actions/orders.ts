import type { Order, OrderStatus, PetStatus } from '@animal-store/contract';
import { type Expected, refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import { type Caller, defineAction, idAt, index, type OperationAction } from './action.ts';

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
