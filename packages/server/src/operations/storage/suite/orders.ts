import type { PetStatus } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { expireOrders } from '../../orders.ts';
import type { Storage } from '../index.ts';
import { orderLifetime } from '../orders.ts';
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
    test('expire together with the reservation of their animal, at their time and not before', async () => {
      const storage = await open();
      const order = await place(storage, 'a');
      await storage.transaction((transaction) => transaction.setPetStatus(order.petId, 'pending'));
      await expireOrders({ storage, clock: () => at + orderLifetime - 1 });
      expect(await storage.reader.findOrder('a', order.id)).toEqual(order);
      await expireOrders({ storage, clock: () => at + orderLifetime });
      // A clock that jumps back does not bring the order back.
      await expireOrders({ storage, clock: () => at });
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
      await expireOrders({ storage, clock: () => at + orderLifetime });
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
      await expireOrders({ storage, clock: () => at + orderLifetime });
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
