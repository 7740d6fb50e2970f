import type { Call, Result } from './operation.ts';
import { ApiError } from './operation.ts';
import { expireOrderOf } from './orders.ts';
import { petNotFound } from './pets.ts';

export async function createOrder({
  body,
  caller,
  clock,
  storage,
  urlOf,
}: Call<'createOrder'>): Promise<Result<'createOrder'>> {
  const { petId } = body;
  const pet = await storage.findPet(petId);
  if (pet === undefined) return petNotFound(petId);
  const isReleased = pet.status === 'pending' && (await expireOrderOf(storage, petId, clock()));
  if (pet.status !== 'available' && !isReleased) {
    const state = pet.status === undefined ? 'has no status' : `is ${pet.status}`;
    return new ApiError(
      'pet_not_available',
      `Animal ${petId} cannot be ordered because it ${state}. Order an animal that is available.`,
    );
  }
  await storage.setPetStatus(petId, 'pending');
  const order = await storage.addOrder({ keyId: caller.id, petId, createdAt: clock() });
  return { status: 201, body: order, headers: { Location: urlOf('getOrder', { path: { orderId: order.id } }) } };
}
