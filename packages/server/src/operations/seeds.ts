/** The animals that the docs show, for practising: a development database starts with them, and a reset restores them. */
import type { NewPet } from '@animal-store/contract';
import type { Storage, Transaction } from './storage/index.ts';

/** Their IDs are 1, 2, ... in this order. Guides, samples and the examples of the contract show the first ones. */
export const seeds: readonly NewPet[] = [
  { name: 'Rex', categoryId: 3, status: 'available' },
  { name: 'Mia', categoryId: 7 },
  { name: 'Bella', categoryId: 3, status: 'available' },
  { name: 'Oscar', categoryId: 5, status: 'pending' },
  { name: 'Luna', categoryId: 7, status: 'available' },
];

/** Adds the seeds to a store that has no animals. */
export async function addSeeds(storage: Storage): Promise<void> {
  await storage.transaction(async (transaction) => {
    // Two servers that start at once on one database do this one after the other.
    await transaction.findIdempotencyRecord('seeds', 'seeds', 0);
    if ((await transaction.listPets({ limit: 1 })).length === 0) await add(transaction);
  });
}

/**
 * Deletes all animals, orders and idempotency records, and adds the seeds with the IDs 1, 2, ... Keys and quotas stay.
 * Records of requests that ran during the reset would repeat responses about deleted animals, so they go last.
 *
 * @returns the number of animals
 */
export async function reset(storage: Storage): Promise<number> {
  await storage.transaction(async (transaction) => {
    await transaction.reset();
    await add(transaction);
  });
  await storage.deleteIdempotencyRecords(Number.MAX_SAFE_INTEGER);
  return seeds.length;
}

async function add(transaction: Transaction): Promise<void> {
  for (const seed of seeds) await transaction.addPet(seed);
}
