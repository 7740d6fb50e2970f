import { ApiError } from '../contract/api-error.ts';
import type { Call, Result } from './operation.ts';
import { endOrder } from './orders.ts';

export async function completeOrder({
  path,
  caller,
  storage,
}: Call<'completeOrder'>): Promise<Result<'completeOrder'>> {
  const order = await endOrder(storage, caller, path.orderId, { order: 'completed', pet: 'sold' });
  return order instanceof ApiError ? order : { status: 200, body: order };
}
