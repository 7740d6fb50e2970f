import { banRules } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { type KeyRecord, StorageUnavailableError, type UsageRecord, type UsageStore } from '../storage/storage.ts';
import { createLimiter } from './limiter.ts';
import { dayOf } from './usage.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const noon = Date.parse('2026-12-01T12:00:00Z');
const perMinute = 60;

/** A store in memory that notes what is asked of it. */
class FakeStore implements UsageStore {
  readonly loads: { day: number; bannedSince: number }[] = [];
  readonly saves: UsageRecord[][] = [];
  /** What each save waits for. */
  gate: Promise<unknown> = Promise.resolve();
  failing = false;
  readonly #kept: UsageRecord[];

  constructor(kept: UsageRecord[] = []) {
    this.#kept = kept;
  }

  async load(day: number, bannedSince: number): Promise<UsageRecord[]> {
    this.loads.push({ day, bannedSince });
    return this.#kept;
  }

  async save(records: readonly UsageRecord[]): Promise<void> {
    this.saves.push([...records]);
    await this.gate;
    if (this.failing) throw new StorageUnavailableError('the disk is full');
  }
}

function key(id: string): KeyRecord {
  return { id, plan: 'free', createdAt: 0 };
}

function usageOf(keyId: string, used: Partial<UsageRecord> = {}): UsageRecord {
  const minute = Math.floor(noon / 60_000);
  return { keyId, minute, minuteUsed: 0, day: dayOf(noon), dayUsed: 0, bans: 0, bannedUntil: 0, ...used };
}

async function startLimiter(store = new FakeStore(), maxAddresses = 3) {
  const clock = { now: noon };
  const limiter = await createLimiter(store, () => clock.now, banRules, maxAddresses);
  const count = async (id: string, requests: number) => {
    for (let request = 0; request < requests; request += 1) await limiter.countKey(key(id));
  };
  /** Sends until the next request starts a ban. */
  const provoke = async (id: string) => {
    await count(id, perMinute + 1);
    clock.now += banRules.graceSeconds * SECOND;
    await count(id, banRules.toleratedRefusals);
  };
  return { limiter, clock, store, count, provoke };
}

/** Whether a promise has settled by the time everything else that can run has run. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('at start', () => {
  test('the usage of this day and the bans that are not forgotten are asked for, once', async () => {
    const { store } = await startLimiter();
    expect(store.loads).toEqual([{ day: dayOf(noon), bannedSince: noon - banRules.forgetAfterSeconds * SECOND }]);
  });

  test('counting goes on where it stood', async () => {
    const { limiter } = await startLimiter(new FakeStore([usageOf('a', { minuteUsed: 58, dayUsed: 70 })]));
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'allowed', remaining: 1 });
    expect(await limiter.countKey(key('b'))).toMatchObject({ outcome: 'allowed', remaining: 59 });
  });

  test('a ban from before holds, also when it began on another day', async () => {
    const old = { minute: 1, day: dayOf(noon) - 1, minuteUsed: 999, dayUsed: 999 };
    const store = new FakeStore([usageOf('a', { ...old, bans: 3, bannedUntil: noon + 90 * SECOND })]);
    const { limiter } = await startLimiter(store);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned', retryAfter: 90 });
  });

  test('a storage that does not answer lets nothing start', async () => {
    const store = new FakeStore();
    store.load = () => Promise.reject(new StorageUnavailableError('gone'));
    await expect(createLimiter(store, () => noon)).rejects.toThrow(StorageUnavailableError);
  });
});

describe('flush', () => {
  test('writes nothing when nothing was counted', async () => {
    const { limiter, store } = await startLimiter(new FakeStore([usageOf('a', { dayUsed: 5 })]));
    await limiter.flush();
    expect(store.saves).toEqual([]);
  });

  test('writes the keys that were counted, and no others', async () => {
    const { limiter, count, store } = await startLimiter(new FakeStore([usageOf('quiet', { dayUsed: 5 })]));
    await count('a', 2);
    await count('b', 1);
    await limiter.flush();
    expect(store.saves).toEqual([
      [usageOf('a', { minuteUsed: 2, dayUsed: 2 }), usageOf('b', { minuteUsed: 1, dayUsed: 1 })],
    ]);
  });

  test('writes each count once', async () => {
    const { limiter, count, store } = await startLimiter();
    await count('a', 1);
    await count('b', 1);
    await limiter.flush();
    await limiter.flush();
    await count('b', 1);
    await limiter.flush();
    expect(store.saves.slice(1)).toEqual([[usageOf('b', { minuteUsed: 2, dayUsed: 2 })]]);
  });

  test('never writes addresses down', async () => {
    const { limiter, store } = await startLimiter();
    await limiter.countAddress('192.0.2.1');
    await limiter.flush();
    expect(store.saves).toEqual([]);
  });

  test('writes later what was counted while it was writing', async () => {
    const { limiter, count, store } = await startLimiter();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    await count('a', 1);
    const flushing = limiter.flush();
    await count('a', 1);
    gate.resolve();
    await flushing;
    await limiter.flush();
    expect(store.saves.map(([record]) => record?.dayUsed)).toEqual([1, 2]);
  });

  test('writes later what was counted on the next day while it was writing, although the number is the same', async () => {
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

  test('that failed is made up for by the next one', async () => {
    const { limiter, count, store } = await startLimiter();
    await count('a', 1);
    store.failing = true;
    await expect(limiter.flush()).rejects.toThrow(StorageUnavailableError);
    store.failing = false;
    await limiter.flush();
    expect(store.saves).toHaveLength(2);
    expect(store.saves[1]).toEqual(store.saves[0]);
  });

  test('writes nothing of a day that is over', async () => {
    const { limiter, count, clock, store } = await startLimiter();
    await count('a', 1);
    clock.now += DAY;
    await count('b', 1);
    await limiter.flush();
    expect(store.saves.flat().map(({ keyId }) => keyId)).toEqual(['b']);
  });
});

describe('a ban', () => {
  test('is written down with its end', async () => {
    const { limiter, provoke, clock, store } = await startLimiter();
    await provoke('a');
    expect(store.saves).toEqual([]);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned', banStarted: true });
    const bannedUntil = clock.now + banRules.firstSeconds * SECOND;
    expect(store.saves).toMatchObject([[{ keyId: 'a', bans: 1, bannedUntil }]]);
  });

  test('is on disk before anybody is told, the caller that started it and those that come meanwhile', async () => {
    const { limiter, provoke, store } = await startLimiter();
    await provoke('a');
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const verdicts = [limiter.countKey(key('a')), limiter.countKey(key('a'))];
    expect(await Promise.all(verdicts.map(hasSettled))).toEqual([false, false]);
    gate.resolve();
    expect(await Promise.all(verdicts)).toMatchObject([{ outcome: 'banned' }, { outcome: 'banned' }]);
    expect(store.saves).toHaveLength(1);
  });

  test('holds up no other key while it is written', async () => {
    const { limiter, provoke, store } = await startLimiter();
    await provoke('a');
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const banned = limiter.countKey(key('a'));
    expect(await limiter.countKey(key('b'))).toMatchObject({ outcome: 'allowed' });
    gate.resolve();
    await banned;
  });

  test('that cannot be written is no verdict, holds nevertheless, and is written with the next flush', async () => {
    const { limiter, provoke, store } = await startLimiter();
    await provoke('a');
    store.failing = true;
    await expect(limiter.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    store.failing = false;
    await limiter.flush();
    expect(store.saves.at(-1)).toMatchObject([{ keyId: 'a', bans: 1 }]);
  });

  test('touches no other key', async () => {
    const { limiter, provoke } = await startLimiter();
    await provoke('a');
    await limiter.countKey(key('a'));
    expect(await limiter.countKey(key('b'))).toMatchObject({ outcome: 'allowed', remaining: 59 });
  });

  test('is counted on over the change of days, until it is forgotten', async () => {
    const { limiter, provoke, clock, store } = await startLimiter();
    await provoke('a');
    await limiter.countKey(key('a'));
    clock.now = noon + DAY / 2 + SECOND;
    await limiter.countAddress('192.0.2.1');
    await provoke('a');
    await limiter.countKey(key('a'));
    expect(store.saves.flat().map(({ bans }) => bans)).toEqual([1, 2]);
    clock.now += 3 * DAY;
    await provoke('a');
    await limiter.countKey(key('a'));
    expect(store.saves.flat().map(({ bans }) => bans)).toEqual([1, 2, 1]);
  });
});

describe('addresses', () => {
  test('are counted each on its own, and apart from keys of the same name', async () => {
    const { limiter, count } = await startLimiter();
    await count('192.0.2.1', 5);
    expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ remaining: 59 });
    expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ remaining: 58 });
    expect(await limiter.countAddress('192.0.2.2')).toMatchObject({ remaining: 59 });
  });

  test('are counted by network in IPv6', async () => {
    const { limiter } = await startLimiter();
    await limiter.countAddress('2001:db8::1');
    expect(await limiter.countAddress('2001:db8::2')).toMatchObject({ remaining: 58 });
  });

  test('are limited, and never banned', async () => {
    const { limiter, clock } = await startLimiter();
    const outcomes = new Set<string>();
    for (let request = 0; request < 5_000; request += 1) {
      outcomes.add((await limiter.countAddress('192.0.2.1')).outcome);
      clock.now += 10;
    }
    expect(outcomes).toEqual(new Set(['allowed', 'limited']));
  });

  test('beyond the most that are remembered, the one seen first starts again', async () => {
    const { limiter } = await startLimiter(new FakeStore(), 3);
    for (const last of [1, 2, 3, 4]) await limiter.countAddress(`192.0.2.${last}`);
    const known = await Promise.all([2, 3, 4].map((last) => limiter.countAddress(`192.0.2.${last}`)));
    expect(known.map(({ remaining }) => remaining)).toEqual([58, 58, 58]);
    expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ remaining: 59 });
    expect(await limiter.countAddress('192.0.2.2')).toMatchObject({ remaining: 59 });
  });
});

test('on a new day the addresses of the day before take no place', async () => {
  const { limiter, clock } = await startLimiter(new FakeStore(), 3);
  for (const last of [1, 2, 3]) await limiter.countAddress(`192.0.2.${last}`);
  clock.now += DAY;
  for (const last of [1, 4, 5]) await limiter.countAddress(`192.0.2.${last}`);
  expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ remaining: 58 });
});

test('on a new day everybody starts again', async () => {
  const { limiter, count, clock } = await startLimiter();
  await count('a', 30);
  await limiter.countAddress('192.0.2.1');
  clock.now += DAY;
  expect(await limiter.countKey(key('a'))).toMatchObject({ limit: perMinute, remaining: 59 });
  expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ limit: perMinute, remaining: 59 });
});
