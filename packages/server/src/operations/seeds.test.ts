import { describe, expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { addSeeds, seeds } from './seeds.ts';
import { openStorage, type Storage } from './storage/index.ts';

// These tests are not about timeouts.
waitLong();

const listed = (storage: Storage) => storage.reader.listPets({ limit: 100 });
const now = Date.parse('2026-12-01T12:00:00Z');
const expected = seeds.map((seed, index) => ({ id: index + 1, ...seed }));

describe('on SQLite', () => describeSeeds(() => 'sqlite::memory:'));
describeOnPostgres('on PostgreSQL', (postgres) => describeSeeds(() => postgres.freshUrl()));

function describeSeeds(freshUrl: () => string | Promise<string>): void {
  test('an empty store gets the seeds and an order of the pending one once, and a store with animals gets none', async () => {
    const storage = await openStorage(await freshUrl());
    await Promise.all([addSeeds(storage, 'key_1', now), addSeeds(storage, 'key_1', now)]);
    await addSeeds(storage, 'key_1', now);
    expect(await listed(storage)).toEqual(expected);
    const orders = await storage.reader.listOrders({ keyId: 'key_1', limit: 100 });
    expect(orders).toMatchObject([{ id: 1, petId: 4, status: 'placed' }]);
    await storage.close();

    const used = await openStorage(await freshUrl());
    const own = await used.transaction((transaction) => transaction.addPet({ name: 'Own', categoryId: 1 }));
    await addSeeds(used, undefined, now);
    expect(await listed(used)).toEqual([own]);
    await used.close();
  });
}
