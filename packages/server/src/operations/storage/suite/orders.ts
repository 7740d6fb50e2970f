import type { PetStatus } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { expireOrders } from '../../orders.ts';
import type { Storage } from '../index.ts';
import { orderLifetime } from '../rows.ts';
import { type Engine, gate, opener } from './engine.ts';

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
        expiresAt: '2026-12-02T12:00:10.123Z',
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

    test('expire together with the reservation of their animal, at their time and not before', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      await storage.transaction((transaction) => transaction.setPetStatus(order.petId, 'pending'));
      await expireOrders(storage, () => at + orderLifetime - 1);
      expect(await storage.reader.findOrder('a', order.id)).toEqual(order);
      await expireOrders(storage, () => at + orderLifetime);
      // A clock that jumps back does not bring the order back.
      await expireOrders(storage, () => at);
      expect(await storage.reader.findOrder('a', order.id)).toEqual({ ...order, status: 'expired' });
      expect((await storage.reader.findPet(order.petId))?.status).toBe('available');
      expect(await storage.reader.listOrders({ keyId: 'a', status: 'placed', limit: 5 })).toEqual([]);
      expect(await storage.reader.listOrders({ keyId: 'a', status: 'expired', limit: 5 })).toHaveLength(1);
    });

    test('expire in any number, also those whose animal was deleted by hand, and leave ended ones alone', async () => {
      const storage = await open();
      for (let count = 0; count < 205; count += 1) await place(storage, 'a');
      await storage.transaction(async (transaction) => {
        await transaction.setOrderStatus(1, 'completed');
        await transaction.deletePet(2);
      });
      await expireOrders(storage, () => at + orderLifetime);
      const expired = await storage.reader.listOrders({ keyId: 'a', status: 'expired', limit: 300 });
      expect(expired.map(({ id }) => id)).toEqual(Array.from({ length: 204 }, (_, index) => index + 2));
    });

    test('that are being completed do not expire, and nothing waits for them', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      const [isFound, isTried] = [gate(), gate()];
      const completing = storage.transaction(async (transaction) => {
        await transaction.findOrder('a', order.id);
        isFound.open();
        if (!engine.isSerial) await isTried.opened;
        await transaction.setPetStatus(order.petId, 'sold');
        return transaction.setOrderStatus(order.id, 'completed');
      });
      await isFound.opened;
      await expireOrders(storage, () => at + orderLifetime);
      isTried.open();
      expect((await completing).status).toBe('completed');
      expect(await storage.reader.findOrder('a', order.id)).toEqual({ ...order, status: 'completed' });
      expect((await storage.reader.findPet(order.petId))?.status).toBe('sold');
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
