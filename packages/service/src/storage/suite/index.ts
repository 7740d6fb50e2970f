import { describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage.ts';
import { describeDurability } from './durability.ts';
import { type Engine, opener } from './engine.ts';
import { describeIdempotencyRecords } from './idempotency.ts';
import { describeKeys } from './keys.ts';
import { describeTransactions } from './transactions.ts';
import { describeUsage } from './usage.ts';

export { describeDurability };

/** The requirements for every engine. Durable engines must also pass describeDurability. */
export function describeStorage(name: string, engine: Engine): void {
  describe(`storage on ${name}`, () => {
    describeTransactions(engine);
    describeIdempotencyRecords(engine);
    describeKeys(engine);
    describeUsage(engine);
    describeLifecycle(engine);
  });
}

const note = { text: 'Buy milk 🥛' };

export function describeLifecycle(engine: Engine): void {
  const open = opener(engine);

  describe('ping and close', () => {
    test('close waits for running transactions', async () => {
      const storage = await open();
      const added = Array.from({ length: 250 }, () => storage.transaction((transaction) => transaction.addNote(note)));
      await storage.close();
      expect(Math.max(...(await Promise.all(added)).map(({ id }) => id))).toBe(250);
    });

    test('closing twice has no further effect', async () => {
      const storage = await open();
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
    });

    test('after closing, every method rejects with StorageUnavailableError', async () => {
      const storage = await open();
      await storage.close();
      const calls = [
        () => storage.ping(),
        () => storage.reader.listNotes(),
        () => storage.reader.findNote(1),
        () => storage.transaction((transaction) => transaction.addNote(note)),
        () => storage.keys.list(),
        () => storage.keys.revoke('key_1', 1),
        () => storage.usage.load(1, 1),
        () => storage.usage.save([]),
        () => storage.deleteIdempotencyRecords(1),
      ];
      for (const call of calls) await expect(call()).rejects.toBeInstanceOf(StorageUnavailableError);
    });
  });
}
