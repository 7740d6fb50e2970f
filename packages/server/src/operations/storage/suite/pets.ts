import type { NewPet, Pet } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { Storage } from '../index.ts';
import type { PetQuery } from '../store.ts';
import { allPets, type Engine, opener } from './engine.ts';

const LARGEST_ID = Number.MAX_SAFE_INTEGER;

const unusualNames = [
  '🐈‍⬛',
  '𝒜𝓃𝒾𝓂𝒶𝓁',
  `Robert'); DROP TABLE pets;--`,
  '"quoted" \\ and `ticked`',
  'שלום עולם',
  'مرحبا \u200f',
  'e\u0301 is not \u00e9',
  ' spaces stay ',
  '%_?*',
  'x'.repeat(255),
];

export function describePets(engine: Engine): void {
  const open = opener(engine);
  const add = (storage: Storage, pet: NewPet) => storage.transaction((transaction) => transaction.addPet(pet));

  describe('pets', () => {
    test('get ascending IDs, starting at 1', async () => {
      const storage = await open();
      expect(await add(storage, { name: 'Rex', categoryId: 3, status: 'sold' })).toEqual({
        id: 1,
        name: 'Rex',
        categoryId: 3,
        status: 'sold',
      });
      expect((await add(storage, { name: 'Mia', categoryId: 3 })).id).toBe(2);
    });

    test('are found by ID; the result for an unknown ID is undefined', async () => {
      const storage = await open();
      const added = await add(storage, { name: 'Rex', categoryId: 3, status: 'pending' });
      expect(await storage.reader.findPet(1)).toEqual(added);
      for (const id of [0, 2, -1, LARGEST_ID, -LARGEST_ID]) expect(await storage.reader.findPet(id)).toBeUndefined();
    });

    test('without a status have no such property', async () => {
      const storage = await open();
      const added = await add(storage, { name: 'Mia', categoryId: 7 });
      for (const pet of [added, await storage.reader.findPet(1), (await allPets(storage))[0]]) {
        expect(Object.keys(pet ?? {})).toEqual(['id', 'name', 'categoryId']);
      }
    });

    test('that are replaced have only the new properties', async () => {
      const storage = await open();
      const [{ id }, other] = [
        await add(storage, { name: 'Rex', categoryId: 3, status: 'sold' }),
        await add(storage, { name: 'Mia', categoryId: 3 }),
      ];
      const replace = (pet: Pet) => storage.transaction((transaction) => transaction.replacePet(pet));
      await replace({ id, name: 'Rexi', categoryId: -7, status: 'available' });
      expect(await storage.reader.findPet(id)).toStrictEqual({ id, name: 'Rexi', categoryId: -7, status: 'available' });
      await replace({ id, name: 'Rexi', categoryId: -7 });
      expect(await allPets(storage)).toStrictEqual([{ id, name: 'Rexi', categoryId: -7 }, other]);
    });

    test('that are deleted are neither found nor listed; the others stay', async () => {
      const storage = await open();
      const [first, second] = [
        await add(storage, { name: 'Rex', categoryId: 3, status: 'sold' }),
        await add(storage, { name: 'Mia', categoryId: 3, status: 'sold' }),
      ];
      await storage.transaction((transaction) => transaction.deletePet(first.id));
      expect(await storage.reader.findPet(first.id)).toBeUndefined();
      expect(await allPets(storage)).toEqual([second]);
      expect(await storage.reader.listPets({ limit: 5, status: 'sold' })).toEqual([second]);
    });

    test('never get the ID of a deleted animal, even if it was the newest or all are deleted', async () => {
      const storage = await open();
      const addAndDelete = () =>
        storage.transaction(async (transaction) => {
          const pet = await transaction.addPet({ name: 'Rex', categoryId: 3 });
          await transaction.deletePet(pet.id);
          return pet.id;
        });
      expect([await addAndDelete(), await addAndDelete(), await addAndDelete()]).toEqual([1, 2, 3]);
      expect((await add(storage, { name: 'Mia', categoryId: 3 })).id).toBe(4);
    });

    test.each(unusualNames)('keep the name %j', async (name) => {
      const storage = await open();
      await add(storage, { name, categoryId: 1 });
      expect((await storage.reader.findPet(1))?.name).toBe(name);
    });

    test.each([LARGEST_ID, -LARGEST_ID, 0, -1, 2 ** 31, 2 ** 52 + 1])(
      'keep the categoryId %d exactly',
      async (categoryId) => {
        const storage = await open();
        expect((await add(storage, { name: 'Rex', categoryId })).categoryId).toBe(categoryId);
        expect((await storage.reader.findPet(1))?.categoryId).toBe(categoryId);
      },
    );
  });

  describe('listPets', () => {
    const statuses = ['available', 'pending', 'sold', undefined] as const;

    async function openWithPets(count: number): Promise<Storage> {
      const storage = await open();
      await storage.transaction(async (transaction) => {
        for (let index = 0; index < count; index += 1) {
          const status = statuses[index % statuses.length];
          await transaction.addPet({ name: `Pet ${index}`, categoryId: index % 3, ...(status && { status }) });
        }
      });
      return storage;
    }

    const ids = async (storage: Storage, query: Parameters<Storage['reader']['listPets']>[0]) =>
      (await storage.reader.listPets(query)).map((pet) => pet.id);

    test('of an empty store is empty', async () => {
      const storage = await open();
      expect(await storage.reader.listPets({ limit: 20 })).toEqual([]);
      expect(await storage.reader.listPets({ limit: 20, status: 'sold', after: 5 })).toEqual([]);
    });

    test('returns at most `limit`, by ascending ID', async () => {
      const storage = await openWithPets(10);
      expect(await ids(storage, { limit: 3 })).toEqual([1, 2, 3]);
      expect(await ids(storage, { limit: 100 })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    test('continues after an ID, whether or not an animal has it', async () => {
      const storage = await openWithPets(10);
      expect(await ids(storage, { limit: 3, after: 4 })).toEqual([5, 6, 7]);
      expect(await ids(storage, { limit: 3, after: 10 })).toEqual([]);
      expect(await ids(storage, { limit: 3, after: LARGEST_ID })).toEqual([]);
      expect(await ids(storage, { limit: 1, after: -LARGEST_ID })).toEqual([1]);
    });

    test('returns only animals with the status', async () => {
      const storage = await openWithPets(12);
      expect(await ids(storage, { limit: 100, status: 'available' })).toEqual([1, 5, 9]);
      expect(await ids(storage, { limit: 1, status: 'sold', after: 3 })).toEqual([7]);
      const found = await storage.reader.listPets({ limit: 100, status: 'pending' });
      expect(found.every((pet) => pet.status === 'pending')).toBe(true);
    });

    test('returns only animals of the category', async () => {
      const storage = await openWithPets(12);
      expect(await ids(storage, { limit: 100, categoryId: 0 })).toEqual([1, 4, 7, 10]);
      expect(await ids(storage, { limit: 2, categoryId: 0, after: 1 })).toEqual([4, 7]);
      expect(await ids(storage, { limit: 100, categoryId: 3 })).toEqual([]);
    });

    test('returns only animals with one of the IDs, by ascending ID', async () => {
      const storage = await openWithPets(12);
      expect(await ids(storage, { limit: 100, ids: [9, 2, 99, -1, LARGEST_ID, 5] })).toEqual([2, 5, 9]);
      expect(await ids(storage, { limit: 1, ids: [9, 2, 5], after: 2 })).toEqual([5]);
      expect(await ids(storage, { limit: 100, ids: [] })).toEqual([]);
    });

    test('combines all filters with each other and with the page', async () => {
      const storage = await openWithPets(24);
      const all = await allPets(storage);
      const queries: Omit<PetQuery, 'limit'>[] = [{}, { ids: [1, 9, 10, 13, 22] }]
        .flatMap((query) => [query, { ...query, categoryId: 0 }])
        .flatMap((query) => [query, { ...query, status: 'available' }]);
      for (const query of queries) {
        const expected = all.filter(
          (pet) =>
            (query.ids?.includes(pet.id) ?? true) &&
            pet.categoryId === (query.categoryId ?? pet.categoryId) &&
            pet.status === (query.status ?? pet.status) &&
            pet.id > 1,
        );
        expect(await storage.reader.listPets({ ...query, limit: 3, after: 1 })).toEqual(expected.slice(0, 3));
      }
    });

    test('following the pages returns each animal once', async () => {
      const storage = await openWithPets(25);
      const seen: number[] = [];
      for (let page = [0]; page.length > 0; ) {
        page = await ids(storage, { limit: 4, after: seen.at(-1) });
        seen.push(...page);
      }
      expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    });
  });
}
