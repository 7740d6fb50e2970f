import { cancelOrder } from './cancelOrder.ts';
import { completeOrder } from './completeOrder.ts';
import { createOrder } from './createOrder.ts';
import { createPet } from './createPet.ts';
import { getOrder } from './getOrder.ts';
import { getPet } from './getPet.ts';
import { listOrders } from './listOrders.ts';
import { listPets } from './listPets.ts';
import type { Operations } from './operation.ts';

/** What the API can do, by operationId. */
export const operations: Operations = {
  listPets,
  createPet,
  getPet,
  listOrders,
  createOrder,
  getOrder,
  completeOrder,
  cancelOrder,
};
