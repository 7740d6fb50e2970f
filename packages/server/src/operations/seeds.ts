/** The animals that the docs show, for practising: a development database and each sandbox start with them. */
import type { NewPet } from '@animal-store/contract';
import type { Storage } from './storage/index.ts';

/** Their IDs are 1, 2, ... in this order. Guides, samples and the examples of the contract show the first ones. */
export const seeds: readonly NewPet[] = [
  { name: 'Rex', categoryId: 3, status: 'available' },
  { name: 'Mia', categoryId: 7 },
  { name: 'Bella', categoryId: 3, status: 'available' },
  { name: 'Oscar', categoryId: 5, status: 'pending' },
  { name: 'Luna', categoryId: 7, status: 'available' },
];

/** Adds the seeds to a store that has no animals, and for a key an order of the pending one. */
export async function addSeeds(storage: Storage, keyId: string | undefined, now: number): Promise<void> {
  await storage.transaction(async (transaction) => {
    // Two servers that start at once on one database do this one after the other.
    await transaction.findIdempotencyRecord('seeds', 'seeds', 0);
    if ((await transaction.listPets({ limit: 1 })).length > 0) return;
    for (const seed of seeds) {
      const { id, status } = await transaction.addPet(seed);
      if (keyId !== undefined && status === 'pending') await transaction.addOrder({ keyId, petId: id, createdAt: now });
    }
  });
}
