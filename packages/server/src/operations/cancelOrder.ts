import { ApiError } from '../contract/api-error.ts';
import type { Call, Result } from './operation.ts';
import { endOrder } from './orders.ts';

export async function cancelOrder({ path, caller, storage }: Call<'cancelOrder'>): Promise<Result<'cancelOrder'>> {
  const order = await endOrder(storage, caller, path.orderId, { order: 'cancelled', pet: 'available' });
  return order instanceof ApiError ? order : { status: 200, body: order };
}
