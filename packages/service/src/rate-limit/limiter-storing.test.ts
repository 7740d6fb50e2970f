import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { DAY, dayOf } from '../common/time.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { createLimiter } from './limiter.ts';
import { FakeStore, key, noon, SECOND, startLimiter, usageOf } from './limiter-fixture.ts';

const { banRules } = contract;

describe('at start', () => {
  test('the usage of the day and the bans that still matter are loaded once', async () => {
    const { store } = await startLimiter();
    expect(store.loads).toEqual([{ day: dayOf(noon), bannedSince: noon - banRules.forgetAfterSeconds * SECOND }]);
  });

  test('counting continues from the stored usage', async () => {
    const { limiter } = await startLimiter(new FakeStore([usageOf('a', { minuteUsed: 58, dayUsed: 70 })]));
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'allowed', remaining: 1 });
    expect(await limiter.countKey(key('b'))).toMatchObject({ outcome: 'allowed', remaining: 59 });
  });

  test('a stored ban applies even if it began on another day', async () => {
    const old = { minute: 1, day: dayOf(noon) - 1, minuteUsed: 999, dayUsed: 999 };
    const store = new FakeStore([usageOf('a', { ...old, bans: 3, bannedUntil: noon + 90 * SECOND })]);
    const { limiter } = await startLimiter(store);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned', retryAfter: 90 });
  });

  test('the start fails if the storage does not answer', async () => {
    const store = new FakeStore();
    store.load = () => Promise.reject(new StorageUnavailableError('gone'));
    await expect(createLimiter(store, contract, () => noon)).rejects.toThrow(StorageUnavailableError);
  });
});

describe('flush', () => {
  test('saves the keys that were counted, and no others', async () => {
    const { limiter, count, store } = await startLimiter(new FakeStore([usageOf('quiet', { dayUsed: 5 })]));
    await count('a', 2);
    await count('b', 1);
    await limiter.flush();
    expect(store.saves).toMatchObject([
      [usageOf('a', { minuteUsed: 2, dayUsed: 2 }), usageOf('b', { minuteUsed: 1, dayUsed: 1 })],
    ]);
  });

  test('never saves addresses', async () => {
    const { limiter, store } = await startLimiter();
    await limiter.countAddress('192.0.2.1');
    await limiter.flush();
    expect(store.saves).toEqual([]);
  });

  test('saves again what a save failed to save, or what was counted during it', async () => {
    const { limiter, count, store } = await startLimiter();
    await count('a', 1);
    store.failing = true;
    await expect(limiter.flush()).rejects.toThrow(StorageUnavailableError);
    store.failing = false;
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const flushing = limiter.flush();
    await count('a', 1);
    gate.resolve();
    await flushing;
    await limiter.flush();
    expect(store.saves.map(([record]) => record?.dayUsed)).toEqual([1, 1, 2]);
  });

  test('leaves requests of the next day to the next flush if they are counted during a save, even if the number is the same', async () => {
    const { limiter, count, clock, store } = await startLimiter();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    await count('a', 1);
    const flushing = limiter.flush();
    clock.now += DAY;
    await count('a', 1);
    gate.resolve();
    await flushing;
    await limiter.flush();
    expect(store.saves.map(([record]) => record?.day)).toEqual([dayOf(noon), dayOf(noon) + 1]);
  });

  test('saves many keys in batches, so that other writes can go between', async () => {
    const { limiter, count, store } = await startLimiter();
    for (let index = 0; index < 2_500; index += 1) await count(`key_${index}`, 1);
    await limiter.flush();
    expect(store.saves.map((records) => records.length)).toEqual([1_000, 1_000, 500]);
    expect(new Set(store.saves.flat().map(({ keyId }) => keyId)).size).toBe(2_500);
    await limiter.flush();
    expect(store.saves).toHaveLength(3);
  });

  test('saves no usage of a past day', async () => {
    const { limiter, count, clock, store } = await startLimiter();
    await count('a', 1);
    clock.now += DAY;
    await count('b', 1);
    await limiter.flush();
    expect(store.saves.flat().map(({ keyId }) => keyId)).toEqual(['b']);
  });
});
