import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { DAY } from '../common/time.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { countRequest, emptyUsage, forgetBan } from './count-request.ts';
import { createLimiter, quotaOf } from './limiter.ts';
import { FakeStore, hasSettled, key, noon, perMinute, SECOND, startLimiter, usageOf } from './limiter-fixture.ts';

const { banRules } = contract;

describe('a ban', () => {
  test('is on disk before any response announces it, and is saved once for all requests that wait', async () => {
    const { limiter, provokeBan, clock, store } = await startLimiter();
    await provokeBan('a');
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const verdicts = [limiter.countKey(key('a')), limiter.countKey(key('a'))];
    expect(await Promise.all(verdicts.map(hasSettled))).toEqual([false, false]);
    gate.resolve();
    expect(await Promise.all(verdicts)).toMatchObject([{ outcome: 'banned', banStarted: true }, { outcome: 'banned' }]);
    expect(store.saves).toEqual([
      [expect.objectContaining({ keyId: 'a', bans: 1, bannedUntil: clock.now + banRules.firstSeconds * SECOND })],
    ]);
  });

  test('does not delay other keys while it is saved', async () => {
    const { limiter, provokeBan, store } = await startLimiter();
    await provokeBan('a');
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const banned = limiter.countKey(key('a'));
    expect(await limiter.countKey(key('b'))).toMatchObject({ outcome: 'allowed' });
    gate.resolve();
    await banned;
  });

  test('that cannot be saved is never announced: each request tries again and fails, until it is saved', async () => {
    const { limiter, provokeBan, store } = await startLimiter();
    await provokeBan('a');
    store.failing = true;
    for (let request = 0; request < 3; request += 1) {
      await expect(limiter.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    }
    expect(store.saves).toHaveLength(3);
    expect(await limiter.countKey(key('b'))).toMatchObject({ outcome: 'allowed' });
    store.failing = false;
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    expect(store.saves.at(-1)).toMatchObject([{ keyId: 'a', bans: 1 }]);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    expect(store.saves).toHaveLength(4);
  });

  test('that could not be saved is saved by the next flush, and then announced without another save', async () => {
    const { limiter, provokeBan, store } = await startLimiter();
    await provokeBan('a');
    store.failing = true;
    await expect(limiter.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    store.failing = false;
    await limiter.flush();
    expect(store.saves.at(-1)).toMatchObject([{ keyId: 'a', bans: 1 }]);
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    expect(store.saves).toHaveLength(2);
  });

  test('that starts while the previous one is being saved is also saved before it is announced', async () => {
    const { limiter, provokeBan, clock, store } = await startLimiter();
    await provokeBan('a');
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const first = limiter.countKey(key('a'));
    clock.now += banRules.firstSeconds * SECOND;
    await provokeBan('a');
    const second = limiter.countKey(key('a'));
    gate.resolve();
    await Promise.all([first, second]);
    expect(store.saves.flat().map(({ bans }) => bans)).toEqual([1, 2]);
  });

  test('that was never saved ends by itself', async () => {
    const { limiter, provokeBan, clock, store } = await startLimiter();
    await provokeBan('a');
    store.failing = true;
    await expect(limiter.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    clock.now += banRules.firstSeconds * SECOND;
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'allowed' });
  });

  test('that an operator has ended is void; one that begins later is not', async () => {
    const { limiter, clock, provokeBan, store } = await startLimiter();
    await provokeBan('a');
    const banned = await limiter.countKey(key('a'));
    expect(banned?.outcome).toBe('banned');
    const unbanned = { ...key('a'), unbannedAt: clock.now };
    expect((await limiter.countKey(unbanned))?.outcome).toBe('limited');
    expect(store.endedBans).toEqual([{ keyId: 'a', bannedUntil: banned?.bannedUntil }]);
    clock.now += 60 * SECOND;
    await provokeBan('a');
    expect((await limiter.countKey(unbanned))?.outcome).toBe('banned');
  });

  test('that an operator has ended is void, even if only the shared counters still have it', async () => {
    const shared = { ...emptyUsage(noon), bans: 1, bannedUntil: noon + banRules.firstSeconds * SECOND };
    const limiter = await createLimiter(new FakeStore(), contract, () => noon, {
      counters: {
        endBan: async () => forgetBan(shared),
        count: async ({ usage, quota, now, rules }) => {
          const verdict = countRequest(shared, quota, now, rules);
          Object.assign(usage, shared);
          return verdict;
        },
      },
    });
    expect((await limiter.countKey({ ...key('a'), unbannedAt: noon }))?.outcome).toBe('allowed');
  });

  test('that another process started is saved by this process, too, before it announces it', async () => {
    const shared = { ...emptyUsage(noon), bans: 1, bannedUntil: noon + 60 * SECOND };
    const store = new FakeStore();
    const limiter = await createLimiter(store, contract, () => noon, {
      counters: {
        endBan: async () => {},
        count: async ({ usage, quota, now, rules }) => {
          const verdict = countRequest(shared, quota, now, rules);
          Object.assign(usage, shared);
          return verdict;
        },
      },
    });
    store.failing = true;
    await expect(limiter.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    store.failing = false;
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned', banStarted: false });
    expect(await limiter.countKey(key('a'))).toMatchObject({ outcome: 'banned', banStarted: false });
    expect(store.saves).toHaveLength(2);
    expect(store.saves.at(-1)).toMatchObject([{ keyId: 'a', bans: 1, bannedUntil: shared.bannedUntil }]);
  });

  test('that starts in shared counters while a new day begins is saved before it is announced', async () => {
    const clock = { now: noon };
    const store = new FakeStore();
    const bannedUntil = noon + DAY + 60 * SECOND;
    const bothSent = Promise.withResolvers<void>();
    const limiter = await createLimiter(store, contract, () => clock.now, {
      counters: {
        endBan: async () => {},
        count: async ({ caller, usage, quota, now, rules }) => {
          const verdict = countRequest(usage, quota, now, rules);
          if (caller !== 'key:a') return verdict;
          await bothSent.promise;
          Object.assign(usage, { bans: 1, bannedUntil });
          return { ...verdict, outcome: 'banned' };
        },
      },
    });
    const banned = limiter.countKey(key('a'));
    clock.now += DAY;
    // The first request of the new day deletes the usage of the previous one.
    await limiter.countKey(key('b'));
    bothSent.resolve();
    expect(await banned).toMatchObject({ outcome: 'banned' });
    expect(store.saves).toMatchObject([[{ keyId: 'a', bans: 1, bannedUntil }]]);
  });

  test('is followed by a longer one on the next day, until it is forgotten', async () => {
    const { limiter, provokeBan, clock, store } = await startLimiter();
    await provokeBan('a');
    await limiter.countKey(key('a'));
    clock.now = noon + DAY / 2 + SECOND;
    await limiter.countAddress('192.0.2.1');
    await provokeBan('a');
    await limiter.countKey(key('a'));
    expect(store.saves.flat().map(({ bans }) => bans)).toEqual([1, 2]);
    clock.now += 3 * DAY;
    await provokeBan('a');
    await limiter.countKey(key('a'));
    expect(store.saves.flat().map(({ bans }) => bans)).toEqual([1, 2, 1]);
  });
});

describe('addresses', () => {
  test('are counted separately, and apart from keys with the same name', async () => {
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

  test('of a /48 in IPv6 have 16 quotas together, and other networks have their own', async () => {
    const { limiter, clock } = await startLimiter(new FakeStore(), 10_000);
    const send = (network: number) => limiter.countAddress(`2001:db8:1:${network.toString(16)}00::1`);
    let allowed = 0;
    for (let number = 0; number < 16 * perMinute + 20; number += 1)
      if ((await send(number % 256))?.outcome === 'allowed') allowed += 1;
    expect(allowed).toBe(16 * perMinute);
    expect(await send(0)).toMatchObject({ outcome: 'limited', limit: 16 * perMinute });
    expect(await limiter.countAddress('2001:db8:2::1')).toMatchObject({ outcome: 'allowed', remaining: 59 });
    clock.now += 60 * SECOND;
    expect(await send(0)).toMatchObject({ outcome: 'allowed', remaining: 59 });
  });

  test('that are refused in IPv6 take nothing from the networks around them', async () => {
    const { limiter } = await startLimiter(new FakeStore(), 100);
    for (let request = 0; request < 5_000; request += 1) await limiter.countAddress('2001:db8::1');
    expect(await limiter.countAddress('2001:db8:0:1::1')).toMatchObject({ outcome: 'allowed', remaining: 59 });
  });

  test('beyond the maximum evict the least recently seen one', async () => {
    const { limiter } = await startLimiter(new FakeStore(), 3);
    const remaining = async (last: number) => (await limiter.countAddress(`192.0.2.${last}`))?.remaining;
    for (const last of [1, 2, 3, 1, 4]) await remaining(last);
    expect([await remaining(1), await remaining(3), await remaining(4)]).toEqual([57, 58, 58]);
    expect([await remaining(2), await remaining(1)]).toEqual([59, 59]);
  });
});

test('on a new day every caller starts again', async () => {
  const { limiter, count, clock } = await startLimiter();
  await count('a', 30);
  await limiter.countAddress('192.0.2.1');
  clock.now += DAY;
  expect(await limiter.countKey(key('a'))).toMatchObject({ limit: perMinute, remaining: 59 });
  expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ limit: perMinute, remaining: 59 });
});

describe('a clock that is set back', () => {
  test('over midnight resets no count, neither in memory nor at the next start', async () => {
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

  test('and forward over midnight resets no address', async () => {
    const { limiter, clock } = await startLimiter();
    const midnight = noon + DAY / 2;
    clock.now = midnight + SECOND;
    for (let request = 0; request < perMinute; request += 1) await limiter.countAddress('192.0.2.1');
    for (let step = 0; step < 5; step += 1) {
      clock.now = midnight + (step % 2 === 0 ? -SECOND : SECOND);
      expect(await limiter.countAddress('192.0.2.1')).toMatchObject({ outcome: 'limited' });
    }
  });

  test('shortens bans that were given while it was ahead', async () => {
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

describe('the quota of a key', () => {
  const id = 'key_0123456789abcdef';

  test('is that of its plan, even if the key has its own limits', () => {
    const own = { id, plan: 'free', perMinute: 5_000, perDay: 5_000 };
    expect(quotaOf(own, contract.plans)).toMatchObject({ perMinute: 60, perDay: 1_000 });
  });

  test.each([{}, { perMinute: 1 }, { perDay: 1 }])(
    'on a plan without limits is its own, never unlimited: %j',
    (own) => {
      const limits = { perMinute: 5_000, perDay: 7 };
      expect(quotaOf({ id, plan: 'enterprise', ...limits }, contract.plans)).toEqual(limits);
      expect(() => quotaOf({ id, plan: 'enterprise', ...own }, contract.plans)).toThrow(id);
    },
  );
});
