import { describe, expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { addSeeds, reset, seeds } from './seeds.ts';
import { openStorage, type Storage } from './storage/index.ts';

// These tests are not about timeouts.
waitLong();

const record = { fingerprint: 'f', status: 201, headers: {}, body: '{}', createdAt: 1_000 };
const listed = (storage: Storage) => storage.reader.listPets({ limit: 100 });
const expected = seeds.map((seed, index) => ({ id: index + 1, ...seed }));

describe('on SQLite', () => describeSeeds(() => 'sqlite::memory:'));
describeOnPostgres('on PostgreSQL', (postgres) => describeSeeds(() => postgres.freshUrl()));

function describeSeeds(freshUrl: () => string | Promise<string>): void {
  test('an empty store gets the seeds once, and a store with animals gets none', async () => {
    const storage = await openStorage(await freshUrl());
    await Promise.all([addSeeds(storage), addSeeds(storage)]);
    await addSeeds(storage);
    expect(await listed(storage)).toEqual(expected);
    await storage.close();

    const used = await openStorage(await freshUrl());
    const own = await used.transaction((transaction) => transaction.addPet({ name: 'Own', categoryId: 1 }));
    await addSeeds(used);
    expect(await listed(used)).toEqual([own]);
    await used.close();
  });

  test('a reset brings back the first IDs, and deletes orders and idempotency records, but no keys', async () => {
    const storage = await openStorage(await freshUrl());
    await addSeeds(storage);
    const key = { id: 'key_1', plan: 'free', scope: 'write', createdAt: 1 } as const;
    await storage.keys.add(key, { hash: Buffer.from('h'), hint: 'as_test_…abcd', createdAt: 1 });
    await storage.transaction(async (transaction) => {
      await transaction.deletePet(1);
      await transaction.addPet({ name: 'Own', categoryId: 1 });
      await transaction.addOrder({ keyId: 'key_1', petId: 2, createdAt: 1 });
      await transaction.saveIdempotencyRecord('key_1', 'a', record);
    });
    expect(await reset(storage)).toBe(seeds.length);
    expect(await listed(storage)).toEqual(expected);
    expect(await storage.reader.listOrders({ keyId: 'key_1', limit: 100 })).toEqual([]);
    const found = storage.transaction((transaction) => transaction.findIdempotencyRecord('key_1', 'a', 0));
    expect(await found).toBeUndefined();
    expect((await storage.keys.list()).map(({ id }) => id)).toEqual(['key_1']);
    await storage.transaction((transaction) => transaction.addOrder({ keyId: 'key_1', petId: 2, createdAt: 1 }));
    expect((await storage.reader.listOrders({ keyId: 'key_1', limit: 100 }))[0]?.id).toBe(1);
    await storage.close();
  });
}
