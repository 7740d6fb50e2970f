import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Storage } from '../index.ts';
import { type Engine, gate, opener } from './engine.ts';

const rex = { name: 'Rex', categoryId: 3 };

export function describeTransactions(engine: Engine): void {
  const open = opener(engine);

  describe('transaction', () => {
    if (!engine.isSerial) describeSideBySide(open);

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
  });
}

function describeSideBySide(open: () => Promise<Storage>): void {
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
}
