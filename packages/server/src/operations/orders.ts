import type { OrderStatus, PetStatus } from '@animal-store/contract';
import { ApiError } from '../contract/api-error.ts';
import type { KeyRecord } from '../storage/storage.ts';
import type { Result } from './operation.ts';
import type { Writer } from './storage/store.ts';

/** Also used for an order of another key, so that callers cannot find out which IDs exist. */
export function orderNotFound(orderId: number): ApiError<'order_not_found'> {
  return new ApiError('order_not_found', `This API key has no order with the ID ${orderId}.`);
}

/**
 * Ends a `placed` order of the caller, and sets the status of its pet.
 * Returns a refusal if the caller has no such order, or it has ended already.
 */
export async function endOrder(
  storage: Writer,
  caller: KeyRecord,
  orderId: number,
  end: { order: OrderStatus; pet: PetStatus },
): Promise<Result<'cancelOrder' | 'completeOrder'>> {
  const order = await storage.findOrder(caller.id, orderId);
  if (order === undefined) return orderNotFound(orderId);
  if (order.status !== 'placed') {
    return new ApiError(
      'order_not_placed',
      `Order ${orderId} is already ${order.status} and can no longer be changed.`,
    );
  }
  await storage.setPetStatus(order.petId, end.pet);
  return { status: 200, body: await storage.setOrderStatus(orderId, end.order) };
}
