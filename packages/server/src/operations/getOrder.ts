import type { Call, Result } from './operation.ts';
import { orderNotFound } from './orders.ts';

export async function getOrder({ path, caller, storage }: Call<'getOrder'>): Promise<Result<'getOrder'>> {
  const order = await storage.findOrder(caller.id, path.orderId);
  return order === undefined ? orderNotFound(path.orderId) : { status: 200, body: order };
}
