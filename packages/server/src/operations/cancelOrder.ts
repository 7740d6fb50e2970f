import type { Call, Reply } from '../calls/operation.ts';
import { ApiError } from '../errors.ts';
import { endOrder } from './orders.ts';

export async function cancelOrder({ path, caller, storage }: Call<'cancelOrder'>): Promise<Reply<'cancelOrder'>> {
  const order = await endOrder(storage, caller, path.orderId, { order: 'cancelled', pet: 'available' });
  return order instanceof ApiError ? order : { status: 200, body: order };
}
