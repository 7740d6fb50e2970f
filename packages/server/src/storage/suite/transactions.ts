import { describe, expect, test } from '@jest/globals';
import type { Storage, Transaction } from '../storage.ts';
import { allPets, type Engine, gate, opener } from './engine.ts';

const rex = { name: 'Rex', categoryId: 3 };

export function describeTransactions(engine: Engine): void {
  const open = opener(engine);
  const add = (storage: Storage) => storage.transaction((transaction) => transaction.addPet(rex));

  describe('transaction', () => {
    test('gives what the work gives', async () => {
      const storage = await open();
      expect(await storage.transaction(async () => 'done')).toBe('done');
      expect(await storage.transaction(async () => undefined)).toBeUndefined();
    });

    test('sees its own changes, and those committed before', async () => {
      const storage = await open();
      await add(storage);
      await storage.transaction(async (transaction) => {
        const added = await transaction.addPet(rex);
        expect(await transaction.findPet(added.id)).toEqual(added);
        expect(await transaction.listPets({ limit: 20 })).toHaveLength(2);
      });
    });

    test('that rejects has changed nothing, and rejects with the error of the work', async () => {
      const storage = await open();
      const error = new Error('No.');
      const refused = storage.transaction(async (transaction) => {
        await transaction.addPet(rex);
        await transaction.keepReply('key', 'a', { fingerprint: '', status: 201, headers: {}, body: '', keptAt: 1 });
        throw error;
      });
      await expect(refused).rejects.toBe(error);
      expect(await allPets(storage)).toEqual([]);
      expect(await storage.transaction((transaction) => transaction.findReply('key', 'a', 0))).toBeUndefined();
    });

    test('of a work that throws before it waits rejects', async () => {
      const storage = await open();
      const refused = storage.transaction(() => {
        throw new Error('At once.');
      });
      await expect(refused).rejects.toThrow('At once.');
      expect((await add(storage)).id).toBe(1);
    });

    test('100 at once all happen, each with an id of its own', async () => {
      const storage = await open();
      const added = await Promise.all(Array.from({ length: 100 }, () => add(storage)));
      expect(new Set(added.map((pet) => pet.id)).size).toBe(100);
      expect(await allPets(storage)).toHaveLength(100);
    });

    test('1000 at once, every tenth of which rejects: the others are there, the tenth are not', async () => {
      const storage = await open();
      const works = Array.from({ length: 1_000 }, (_, index) =>
        storage.transaction(async (transaction) => {
          const pet = await transaction.addPet({ name: `${index}`, categoryId: 1 });
          if (index % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
          if (index % 10 === 0) throw new Error(`${index}`);
          return pet;
        }),
      );
      const results = await Promise.allSettled(works);
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(100);
      const stored = await allPets(storage);
      expect(stored).toEqual(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
      expect(stored.some((pet) => Number(pet.name) % 10 === 0)).toBe(false);
    });

    test('runs works one after the other, in the order in which they came', async () => {
      const storage = await open();
      const steps: string[] = [];
      const work = (name: string) => async () => {
        steps.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`${name} ends`);
      };
      await Promise.all(['a', 'b', 'c'].map((name) => storage.transaction(work(name))));
      expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    });

    test('shows readers nothing that is not committed', async () => {
      const storage = await open();
      const { opened, open: goOn } = gate();
      const added = gate();
      const refused = storage.transaction(async (transaction) => {
        await transaction.addPet(rex);
        added.open();
        await opened;
        throw new Error('No.');
      });
      await added.opened;
      const seen = Promise.all([allPets(storage), storage.reader.findPet(1)]);
      goOn();
      await expect(refused).rejects.toThrow('No.');
      expect(await seen).toEqual([[], undefined]);
    });

    test('is seen by readers as soon as it resolves', async () => {
      const storage = await open();
      for (let count = 1; count <= 20; count += 1) {
        await add(storage);
        expect(await allPets(storage)).toHaveLength(count);
      }
    });

    test('cannot be used any more when its work is done', async () => {
      const storage = await open();
      const leaked = await storage.transaction(async (transaction): Promise<Transaction[]> => [transaction]);
      await expect(leaked[0]?.addPet(rex)).rejects.toThrow('The transaction is over.');
      expect(await allPets(storage)).toEqual([]);
    });

    test('inside a transaction is refused, for it would wait for itself', async () => {
      const storage = await open();
      await expect(storage.transaction(() => add(storage))).rejects.toThrow('it would wait for itself');
      expect((await add(storage)).id).toBe(1);
    });

    test('can be started by what a transaction left behind', async () => {
      const storage = await open();
      const later = await storage.transaction(async () => ({
        added: new Promise((resolve) => setImmediate(resolve)).then(() => add(storage)),
      }));
      expect(await later.added).toMatchObject({ id: 1 });
    });
  });
}
