import type { Call, Result } from './operation.ts';
import { endOrder } from './orders.ts';

export async function completeOrder({
  path,
  caller,
  storage,
}: Call<'completeOrder'>): Promise<Result<'completeOrder'>> {
  return endOrder(storage, caller, path.orderId, { order: 'completed', pet: 'sold' });
}
