import { describe, expect, test } from '@jest/globals';
import type { UsageRecord } from '../storage.ts';
import { type Engine, opener } from './engine.ts';

const MAX_BATCH = Number.MAX_SAFE_INTEGER;
const usage: UsageRecord = { keyId: 'key_1', minute: 7, minuteUsed: 3, day: 1, dayUsed: 9, bans: 0, bannedUntil: 0 };
const byKey = (records: UsageRecord[]) => records.sort((a, b) => a.keyId.localeCompare(b.keyId));

export function describeUsage(engine: Engine): void {
  const open = opener(engine);

  describe('usage', () => {
    test('is loaded as it was saved last', async () => {
      const { usage: store } = await open();
      const large = {
        keyId: '🔑',
        minute: MAX_BATCH,
        minuteUsed: MAX_BATCH,
        day: 1,
        dayUsed: MAX_BATCH,
        bans: 3,
        bannedUntil: MAX_BATCH,
      };
      await store.save([usage, large]);
      expect(byKey(await store.load(1, 0))).toEqual(byKey([usage, large]));
      await store.save([{ ...usage, minuteUsed: 4, dayUsed: 10 }]);
      expect(await store.load(1, MAX_BATCH)).toContainEqual({ ...usage, minuteUsed: 4, dayUsed: 10 });
    });

    test('is loaded for one day and later days, with all bans that ended after a time', async () => {
      const { usage: store } = await open();
      await store.save([
        usage,
        { ...usage, keyId: 'tomorrow', day: 2 },
        { ...usage, keyId: 'yesterday', day: 0 },
        { ...usage, keyId: 'banned', day: 0, bans: 1, bannedUntil: 5_001 },
        { ...usage, keyId: 'forgiven', day: 0, bans: 1, bannedUntil: 5_000 },
      ]);
      expect((await store.load(1, 5_000)).map(({ keyId }) => keyId).sort()).toEqual(['banned', 'key_1', 'tomorrow']);
    });

    test('keeps the later of two bans in a row, even if a process that knows only the earlier one saves last', async () => {
      const { usage: store } = await open();
      const first = { ...usage, bans: 1, bannedUntil: 60_000 };
      const second = { ...usage, minute: 8, dayUsed: 11, bans: 2, bannedUntil: 180_000 };
      const afterSaving = async (record: UsageRecord) => {
        await store.save([record]);
        return store.load(1, 0);
      };
      expect(await afterSaving(first)).toEqual([first]);
      expect(await afterSaving(second)).toEqual([second]);
      expect(await afterSaving(first)).toEqual([second]);
      // The same ban after the clock was set back, and a first ban after earlier ones expired.
      const sooner = { ...second, bannedUntil: 150_000 };
      expect(await afterSaving(sooner)).toEqual([sooner]);
      const newSeries = { ...usage, bans: 1, bannedUntil: 9_000_000 };
      expect(await afterSaving(newSeries)).toEqual([newSeries]);
    });

    test('of one key is found, regardless of its day', async () => {
      const { usage: store } = await open();
      expect(await store.find('key_1')).toBeUndefined();
      await store.save([usage, { ...usage, keyId: 'key_2' }]);
      expect(await store.find('key_1')).toEqual(usage);
    });

    test('of thousands of keys is saved while other calls are served', async () => {
      const storage = await open();
      const records = Array.from({ length: 5_000 }, (_, index) => ({ ...usage, keyId: `key_${index}` }));
      await Promise.all([
        storage.usage.save(records),
        storage.reader.listNotes(),
        storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' })),
      ]);
      expect(await storage.usage.load(1, 0)).toHaveLength(5_000);
    });
  });
}
