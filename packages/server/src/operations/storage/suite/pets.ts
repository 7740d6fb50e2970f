import type { NewPet, Pet } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { Storage } from '../index.ts';
import type { PetQuery } from '../pets.ts';
import { allPets, type Engine, opener } from './engine.ts';

export function describePets(engine: Engine): void {
  const open = opener(engine);
  const add = (storage: Storage, pet: NewPet) => storage.transaction((transaction) => transaction.addPet(pet));

  describe('pets', () => {
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

    test('answers each of many callers at once with its own page', async () => {
      const storage = await openWithPets(24);
      const all = await allPets(storage);
      const queries = Array.from({ length: 40 }, (_, index): PetQuery => {
        return { after: 20 - (index % 20), limit: 1 + (index % 4), ...(index % 2 === 0 ? {} : { status: 'sold' }) };
      });
      const pages = await Promise.all(queries.map((query) => storage.reader.listPets(query)));
      const expected = queries.map(({ after = 0, limit, status }) =>
        all.filter((pet) => pet.id > after && pet.status === (status ?? pet.status)).slice(0, limit),
      );
      expect(pages).toEqual(expected);
    });
  });
}
