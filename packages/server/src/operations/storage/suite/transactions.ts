import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Storage, Transaction } from '../index.ts';
import { allPets, type Engine, gate, opener } from './engine.ts';

const rex = { name: 'Rex', categoryId: 3 };

export function describeTransactions(engine: Engine): void {
  const open = opener(engine);
  const add = (storage: Storage) => storage.transaction((transaction) => transaction.addPet(rex));

  describe('transaction', () => {
    test('resolves to the result of the work', async () => {
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

    if (engine.isSerial) describeSerial(open);
    else describeSideBySide(open);

    test('sees no changes by others to rows that it has found: of ten that reserve the same animal, one succeeds', async () => {
      const storage = await open();
      const { id } = await storage.transaction((transaction) => transaction.addPet({ ...rex, status: 'available' }));
      const take = () =>
        storage.transaction(async (transaction) => {
          if ((await transaction.findPet(id))?.status !== 'available') return undefined;
          await transaction.setPetStatus(id, 'pending');
          return transaction.addOrder({ keyId: 'key_1', petId: id, createdAt: 1 });
        });
      const orders = await Promise.all(Array.from({ length: 10 }, take));
      expect(orders.filter((order) => order !== undefined)).toHaveLength(1);
    });

    test('that deletes an animal excludes one that orders it: only one of ten of each succeeds', async () => {
      const storage = await open();
      for (let round = 0; round < 20; round += 1) {
        const { id } = await storage.transaction((transaction) => transaction.addPet({ ...rex, status: 'available' }));
        const order = () =>
          storage.transaction(async (transaction) => {
            if ((await transaction.findPet(id))?.status !== 'available') return undefined;
            await transaction.setPetStatus(id, 'pending');
            await transaction.addOrder({ keyId: 'key_1', petId: id, createdAt: 1 });
            return 'ordered';
          });
        const remove = () =>
          storage.transaction(async (transaction) => {
            if ((await transaction.findPet(id)) === undefined || (await transaction.hasPlacedOrder(id)))
              return undefined;
            await transaction.deletePet(id);
            return 'deleted';
          });
        const works = Array.from({ length: 20 }, (_, index) => ((index + round) % 2 === 0 ? order() : remove()));
        const done = (await Promise.all(works)).filter((outcome) => outcome !== undefined);
        expect(done).toHaveLength(1);
        const [pet, orders] = [
          await storage.reader.findPet(id),
          await storage.reader.listOrders({ keyId: 'key_1', limit: 100, after: 0 }),
        ];
        const hasOrder = orders.some(({ petId }) => petId === id);
        expect([pet !== undefined, hasOrder]).toEqual(done[0] === 'ordered' ? [true, true] : [false, false]);
      }
    });

    test('that ends an order ends it once, of ten that try', async () => {
      const storage = await open();
      const order = await storage.transaction(async (transaction) => {
        const { id } = await transaction.addPet(rex);
        return transaction.addOrder({ keyId: 'key_1', petId: id, createdAt: 1 });
      });
      const end = () =>
        storage.transaction(async (transaction) => {
          if ((await transaction.findOrder('key_1', order.id))?.status !== 'placed') return false;
          await transaction.setOrderStatus(order.id, 'cancelled');
          return true;
        });
      const ended = await Promise.all(Array.from({ length: 10 }, end));
      expect(ended.filter(Boolean)).toHaveLength(1);
    });

    test('whose work rejects changes nothing, and rejects with the same error', async () => {
      const storage = await open();
      const error = new Error('No.');
      const refused = storage.transaction(async (transaction) => {
        await transaction.addPet(rex);
        await transaction.saveIdempotencyRecord('key', 'a', {
          fingerprint: '',
          status: 201,
          headers: {},
          body: '',
          createdAt: 1,
        });
        throw error;
      });
      await expect(refused).rejects.toBe(error);
      expect(await allPets(storage)).toEqual([]);
      expect(
        await storage.transaction((transaction) => transaction.findIdempotencyRecord('key', 'a', 0)),
      ).toBeUndefined();
    });

    test('whose work throws synchronously rejects', async () => {
      const storage = await open();
      const refused = storage.transaction(() => {
        throw new Error('At once.');
      });
      await expect(refused).rejects.toThrow('At once.');
      expect((await add(storage)).id).toBe(1);
    });

    test('100 at once all succeed, each with its own ID', async () => {
      const storage = await open();
      const added = await Promise.all(Array.from({ length: 100 }, () => add(storage)));
      expect(new Set(added.map((pet) => pet.id)).size).toBe(100);
      expect(await allPets(storage)).toHaveLength(100);
    });

    test('of 1000 at once, every tenth rejects and changes nothing; all others succeed', async () => {
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
      const added = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(stored).toEqual(added.sort((a, b) => a.id - b.id));
      expect(stored.some((pet) => Number(pet.name) % 10 === 0)).toBe(false);
    });

    test('does not show uncommitted changes to readers', async () => {
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

    test('cannot be used after its work ends', async () => {
      const storage = await open();
      const leaked = await storage.transaction(async (transaction): Promise<Transaction[]> => [transaction]);
      await expect(leaked[0]?.addPet(rex)).rejects.toThrow(
        'The transaction is over, so storage can no longer be used. Await each use',
      );
      expect(await allPets(storage)).toEqual([]);
    });

    test('inside a transaction is refused, because it would deadlock', async () => {
      const storage = await open();
      await expect(storage.transaction(() => add(storage))).rejects.toThrow('it would wait for itself');
      expect((await add(storage)).id).toBe(1);
    });

    test('can be started by code that a transaction left running', async () => {
      const storage = await open();
      const later = await storage.transaction(async () => ({
        added: new Promise((resolve) => setImmediate(resolve)).then(() => add(storage)),
      }));
      expect(await later.added).toMatchObject({ id: 1 });
    });
  });
}

type Open = () => Promise<Storage>;

function describeSerial(open: Open): void {
  test('runs units of work one after another, in the order of their start', async () => {
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
}

function describeSideBySide(open: Open): void {
  test('runs concurrently with transactions on other rows', async () => {
    const storage = await open();
    const [one, other] = [gate(), gate()];
    // Each waits until the other has begun.
    const first = storage.transaction(async (transaction) => {
      one.open();
      await other.opened;
      return transaction.addPet(rex);
    });
    const second = storage.transaction(async (transaction) => {
      other.open();
      await one.opened;
      return transaction.addPet(rex);
    });
    expect((await Promise.all([first, second])).map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  test('waits for another one that found the same animal, and sees its changes', async () => {
    const storage = await open();
    const { id } = await storage.transaction((transaction) => transaction.addPet(rex));
    const [found, goOn] = [gate(), gate()];
    const first = storage.transaction(async (transaction) => {
      await transaction.findPet(id);
      found.open();
      await goOn.opened;
      await transaction.setPetStatus(id, 'sold');
    });
    await found.opened;
    const second = storage.transaction((transaction) => transaction.findPet(id));
    expect((await storage.reader.findPet(id))?.status).toBeUndefined();
    goOn.open();
    await first;
    expect((await second)?.status).toBe('sold');
  });

  test('waits for another one that found the same order, and sees its changes', async () => {
    const storage = await open();
    const { id } = await storage.transaction(async (transaction) => {
      const pet = await transaction.addPet(rex);
      return transaction.addOrder({ keyId: 'key_1', petId: pet.id, createdAt: 1 });
    });
    const [found, goOn] = [gate(), gate()];
    const first = storage.transaction(async (transaction) => {
      await transaction.findOrder('key_1', id);
      found.open();
      await goOn.opened;
      await transaction.setOrderStatus(id, 'cancelled');
    });
    await found.opened;
    const second = storage.transaction((transaction) => transaction.findOrder('key_1', id));
    // Long enough for a transaction that does not wait to find the order as it was.
    const early = await Promise.race([second, setTimeout(200, 'waiting')]);
    goOn.open();
    await first;
    expect(early).toBe('waiting');
    expect((await second)?.status).toBe('cancelled');
  });

  test('runs again after a deadlock with another one', async () => {
    const storage = await open();
    const pets = await storage.transaction(async (transaction) => [
      await transaction.addPet(rex),
      await transaction.addPet(rex),
    ]);
    const ids = pets.map(({ id }) => id);
    const gates = [gate(), gate()];
    let runs = 0;
    const crosswise = (mine: number) =>
      storage.transaction(async (transaction) => {
        runs += 1;
        await transaction.findPet(ids[mine] ?? 0);
        gates[mine]?.open();
        await gates[1 - mine]?.opened;
        await transaction.setPetStatus(ids[1 - mine] ?? 0, 'sold');
      });
    await Promise.all([crosswise(0), crosswise(1)]);
    expect(runs).toBe(3);
    expect((await allPets(storage)).map(({ status }) => status)).toEqual(['sold', 'sold']);
  });
}
