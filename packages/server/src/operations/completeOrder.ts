import type { Call, Reply } from '../calls/operation.ts';
import { ApiError } from '../errors.ts';
import { endOrder } from './orders.ts';

export async function completeOrder({ path, caller, storage }: Call<'completeOrder'>): Promise<Reply<'completeOrder'>> {
  const order = await endOrder(storage, caller, path.orderId, { order: 'completed', pet: 'sold' });
  return order instanceof ApiError ? order : { status: 200, body: order };
}
