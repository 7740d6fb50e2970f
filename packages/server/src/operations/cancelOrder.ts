import type { Call, Result } from './operation.ts';
import { endOrder } from './orders.ts';

export async function cancelOrder({ path, caller, storage }: Call<'cancelOrder'>): Promise<Result<'cancelOrder'>> {
  return endOrder(storage, caller, path.orderId, { order: 'cancelled', pet: 'available' });
}
