import type { Clock } from '../common/time.ts';
import { cancelOrder } from './cancelOrder.ts';
import { completeOrder } from './completeOrder.ts';
import { createOrder } from './createOrder.ts';
import { createPet } from './createPet.ts';
import { deletePet } from './deletePet.ts';
import { getKey } from './getKey.ts';
import { getOrder } from './getOrder.ts';
import { getPet } from './getPet.ts';
import { listOrders } from './listOrders.ts';
import { listPets } from './listPets.ts';
import type { Operations } from './operation.ts';
import { expireOrders } from './orders.ts';
import type { Storage } from './storage/index.ts';
import { updatePet } from './updatePet.ts';

/** The implementation of every operation in the contract. */
export const operations: Operations = {
  listPets,
  createPet,
  getPet,
  updatePet,
  deletePet,
  listOrders,
  createOrder,
  getOrder,
  completeOrder,
  cancelOrder,
  getKey,
};

/** Work on the store that the server runs every minute. */
export const everyMinute: (storage: Storage, clock: Clock) => Promise<void> = expireOrders;

/** The curl commands that `npm start` prints. */
export function firstCalls(apiUrl: string, secret: string): string[] {
  const authorization = `-H "Authorization: Bearer ${secret}"`;
  const body = `-H "Content-Type: application/json" -d '{"name":"Rex","categoryId":3,"status":"available"}'`;
  return [`curl ${authorization} "${apiUrl}/pets"`, `curl ${authorization} ${body} "${apiUrl}/pets"`];
}
