import { contract } from '@animal-store/contract/service';
import type { ServiceParts } from '@contract-first/service';
import { firstCalls, operations } from './index.ts';
import { expireOrders } from './orders.ts';
import { sandboxOperations } from './sandbox.ts';
import { addSeeds } from './seeds.ts';
import { storeDefinition } from './storage/index.ts';
import type { PetStore } from './storage/store.ts';

/** The parts of this API that `createService` needs. */
export const api = {
  contract,
  folder: new URL('../../../../', import.meta.url),
  operations,
  store: storeDefinition,
  seeds: addSeeds,
  jobs: { expireOrders: { every: '1 minute', run: expireOrders } },
  counters: async (url, service) => (await import('@contract-first/redis')).openRedisCounters(url, service),
  sandboxes: async (server) => (await import('@contract-first/sandbox')).serveSandboxes(server, sandboxOperations),
  firstCalls,
  commands: { orders: async (args: string[]) => (await import('./orders-command.ts')).runOrders(args) },
} satisfies Omit<ServiceParts<PetStore, typeof contract>, 'main'>;
