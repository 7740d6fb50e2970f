import type { OrderStatus, PetStatus } from '@animal-store/contract';
import type { JobCall, KeyRecord } from '@contract-first/service';
import type { Result } from './operation.ts';
import { ApiError } from './operation.ts';
import { orderLifetime } from './storage/orders.ts';
import type { PetStore, Writer } from './storage/store.ts';

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
  caller: Pick<KeyRecord, 'id'>,
  orderId: number,
  end: { order: OrderStatus; pet: PetStatus },
): Promise<Result<'cancelOrder' | 'completeOrder'>> {
  const order = await storage.findOrder(caller.id, orderId);
  if (order === undefined) return orderNotFound(orderId);
  if (order.status !== 'placed') {
    const state = order.status === 'expired' ? 'has expired' : `is already ${order.status}`;
    return new ApiError('order_not_placed', `Order ${orderId} ${state} and can no longer be changed.`);
  }
  await storage.setPetStatus(order.petId, end.pet);
  return { status: 200, body: await storage.setOrderStatus(orderId, end.order) };
}

/**
 * Ends the `placed` order of a pet if it has expired, and makes the pet `available`. Find the pet first, in the same transaction.
 *
 * @returns whether it did
 */
export async function expireOrderOf(storage: Writer, petId: number, now: number): Promise<boolean> {
  const hasExpired = await storage.expireOrderOf(petId, now - orderLifetime);
  if (hasExpired) await storage.setPetStatus(petId, 'available');
  return hasExpired;
}

/** Whether a pet has a `placed` order. One that has expired is ended. Find the pet first, in the same transaction. */
export async function isOrdered(storage: Writer, petId: number, now: number): Promise<boolean> {
  return !(await expireOrderOf(storage, petId, now)) && storage.hasPlacedOrder(petId);
}

/** The orders that one transaction ends. Few, so that other writers do not wait long. */
const EXPIRED_AT_ONCE = 100;

/** Ends all orders that have expired. */
export async function expireOrders({ storage, clock }: Pick<JobCall<PetStore>, 'storage' | 'clock'>): Promise<void> {
  for (;;) {
    const petIds = await storage.reader.listPetsOfOldOrders(clock() - orderLifetime, EXPIRED_AT_ONCE);
    if (petIds.length === 0) return;
    // In ascending order, so that two servers wait for each other instead of blocking each other.
    petIds.sort((one, other) => one - other);
    const ended = await storage.transaction(async (transaction) => {
      let count = 0;
      for (const petId of petIds) {
        await transaction.findPet(petId);
        if (await expireOrderOf(transaction, petId, clock())) count += 1;
      }
      return count;
    });
    // The rest is being completed or cancelled at this moment.
    if (ended === 0) return;
  }
}
