import { banRules } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage/storage.ts';
import { DAY, FakeStore, hasSettled, key, noon, perMinute, SECOND, startLimiter, usageOf } from './limiter-fixture.ts';

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

describe('a clock that is set back', () => {
  test('over midnight forgets nobody, neither in memory nor at the next start', async () => {
    const { limiter, count, clock, store } = await startLimiter();
    await count('a', perMinute);
    for (let request = 0; request < perMinute; request += 1) await limiter.countAddress('192.0.2.1');
    clock.now = noon - DAY;
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'limited' });
    expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ outcome: 'limited' });
    await limiter.flush();
    const again = await startLimiter(new FakeStore(store.saves.flat()));
    again.clock.now = clock.now;
    expect(await again.limiter.countKey(key('a'))).toMatchObject({ outcome: 'limited' });
  });

  test('and forth over midnight gives no address its count back', async () => {
    const { limiter, clock } = await startLimiter();
    const midnight = noon + DAY / 2;
    clock.now = midnight + SECOND;
    for (let request = 0; request < perMinute; request += 1) await limiter.countAddress('192.0.2.1');
    for (let step = 0; step < 5; step += 1) {
      clock.now = midnight + (step % 2 === 0 ? -SECOND : SECOND);
      expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ outcome: 'limited' });
    }
  });

  test('leaves no key banned for as long as the clock was ahead', async () => {
    const years = 4_000 * DAY;
    const store = new FakeStore([usageOf('a', { day: 30_000, bans: 1, bannedUntil: noon + years })]);
    const { limiter, clock } = await startLimiter(store);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned', retryAfter: banRules.firstSeconds });
    await limiter.flush();
    expect(store.saves.at(-1)).toMatchObject([{ keyId: 'a', bannedUntil: noon + banRules.firstSeconds * SECOND }]);
    clock.now += banRules.firstSeconds * SECOND;
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'allowed' });
  });
});
