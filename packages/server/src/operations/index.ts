import { cancelOrder } from './cancelOrder.ts';
import { completeOrder } from './completeOrder.ts';
import { createOrder } from './createOrder.ts';
import { createPet } from './createPet.ts';
import { deletePet } from './deletePet.ts';
import { getKey } from './getKey.ts';
import { getOrder } from './getOrder.ts';
import { getPet } from './getPet.ts';
import { getTranscript } from './getTranscript.ts';
import { listOrders } from './listOrders.ts';
import { listPets } from './listPets.ts';
import type { Operations } from './operation.ts';
import { resetSandbox } from './resetSandbox.ts';
import { setSandboxClock } from './setSandboxClock.ts';
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
  resetSandbox,
  setSandboxClock,
  getTranscript,
};

/** The curl commands that `npm start` prints. */
export function firstCalls(apiUrl: string, secret: string): string[] {
  const authorization = `-H "Authorization: Bearer ${secret}"`;
  const body = `-H "Content-Type: application/json" -d '{"name":"Rex","categoryId":3,"status":"available"}'`;
  return [`curl ${authorization} "${apiUrl}/pets"`, `curl ${authorization} ${body} "${apiUrl}/pets"`];
}
