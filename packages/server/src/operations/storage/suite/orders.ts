import type { PetStatus } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { Storage } from '../index.ts';
import { type Engine, opener } from './engine.ts';

const at = Date.parse('2026-12-01T12:00:10.123Z');

/** Adds an animal with an order of that key. */
function place(storage: Storage, keyId: string) {
  return storage.transaction(async (transaction) => {
    const pet = await transaction.addPet({ name: 'Rex', categoryId: 3, status: 'available' });
    return transaction.addOrder({ keyId, petId: pet.id, createdAt: at });
  });
}

export function describeOrders(engine: Engine): void {
  const open = opener(engine);

  describe('orders', () => {
    test('are placed, with ascending IDs and the time to the millisecond', async () => {
      const storage = await open();
      expect(await place(storage, 'a')).toEqual({
        id: 1,
        petId: 1,
        status: 'placed',
        createdAt: '2026-12-01T12:00:10.123Z',
      });
      expect((await place(storage, 'a')).id).toBe(2);
    });

    test('are found by the key that placed them, and by no other', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      expect(await storage.reader.findOrder('a', order.id)).toEqual(order);
      expect(await storage.reader.findOrder('b', order.id)).toBeUndefined();
      expect(await storage.reader.findOrder('a', 99)).toBeUndefined();
    });

    test('are listed by key, by status and after an ID', async () => {
      const storage = await open();
      for (const keyId of ['a', 'b', 'a', 'a']) await place(storage, keyId);
      await storage.transaction((transaction) => transaction.setOrderStatus(3, 'completed'));
      const ids = async (query: Omit<Parameters<Storage['reader']['listOrders']>[0], 'limit'> & { limit?: number }) =>
        (await storage.reader.listOrders({ limit: 10, ...query })).map((order) => order.id);
      expect(await ids({ keyId: 'a' })).toEqual([1, 3, 4]);
      expect(await ids({ keyId: 'a', limit: 2 })).toEqual([1, 3]);
      expect(await ids({ keyId: 'a', after: 1 })).toEqual([3, 4]);
      expect(await ids({ keyId: 'a', status: 'placed' })).toEqual([1, 4]);
      expect(await ids({ keyId: 'a', status: 'placed', after: 1 })).toEqual([4]);
      expect(await ids({ keyId: 'b' })).toEqual([2]);
      expect(await ids({ keyId: 'c' })).toEqual([]);
    });

    test('need an animal that exists', async () => {
      const storage = await open();
      const work = storage.transaction((transaction) => transaction.addOrder({ keyId: 'a', petId: 7, createdAt: at }));
      await expect(work).rejects.toThrow();
      expect(await storage.reader.listOrders({ keyId: 'a', limit: 1 })).toEqual([]);
    });

    test('remain when their animal is deleted', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      await storage.transaction(async (transaction) => {
        await transaction.setOrderStatus(order.id, 'cancelled');
        await transaction.deletePet(order.petId);
      });
      expect(await storage.reader.findOrder('a', order.id)).toEqual({ ...order, status: 'cancelled' });
      expect(await storage.reader.listOrders({ keyId: 'a', limit: 5 })).toHaveLength(1);
    });

    test('are found for their animal while they are placed', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      const hasPlacedOrder = (petId: number) => storage.transaction((transaction) => transaction.hasPlacedOrder(petId));
      expect(await hasPlacedOrder(order.petId)).toBe(true);
      expect(await hasPlacedOrder(order.petId + 1)).toBe(false);
      await storage.transaction((transaction) => transaction.setOrderStatus(order.id, 'completed'));
      expect(await hasPlacedOrder(order.petId)).toBe(false);
    });

    test('an animal has at most one placed order, and any number that have ended', async () => {
      const storage = await open();
      const { id, petId } = await place(storage, 'a');
      const again = () =>
        storage.transaction((transaction) => transaction.addOrder({ keyId: 'b', petId, createdAt: at }));
      await expect(again()).rejects.toThrow();
      await storage.transaction((transaction) => transaction.setOrderStatus(id, 'cancelled'));
      expect((await again()).status).toBe('placed');
    });

    test('change together with their animal, or not at all', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      const sell = (fail: boolean) =>
        storage.transaction(async (transaction) => {
          await transaction.setPetStatus(order.petId, 'sold');
          const changed = await transaction.setOrderStatus(order.id, 'completed');
          if (fail) throw new Error('undo');
          return changed;
        });
      await expect(sell(true)).rejects.toThrow('undo');
      expect((await storage.reader.findPet(order.petId))?.status).toBe('available');
      expect(await sell(false)).toEqual({ ...order, status: 'completed' });
      expect((await storage.reader.findPet(order.petId))?.status).toBe('sold');
    });

    test.each<PetStatus>(['available', 'pending', 'sold'])(
      'an animal that becomes %s is listed as such',
      async (status) => {
        const storage = await open();
        const { petId } = await place(storage, 'a');
        await storage.transaction((transaction) => transaction.setPetStatus(petId, status));
        const listed = await storage.reader.listPets({ limit: 5, status });
        expect(listed.map((pet) => pet.id)).toEqual([petId]);
      },
    );
  });
}
