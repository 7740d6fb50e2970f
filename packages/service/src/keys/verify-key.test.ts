import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { mintSecret } from './key-format.ts';
import { createKeyRing } from './key-ring.ts';
import { CACHED_SECRETS, HOUR, keyRingOpener, START } from './key-ring-fixture.ts';

const open = keyRingOpener();

describe('verify', () => {
  test('returns the end of the secret if it ends before its key', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free', expiresIn: 2 * HOUR });
    const rotated = await ring.keys.rotate(key.id, HOUR);
    const endOf = async (sent: string) => (await ring.keys.verify(sent, ring.now))?.expiresAt;
    expect([await endOf(secret), await endOf(rotated.secret)]).toEqual([START + HOUR, START + 2 * HOUR]);
    await ring.keys.rotate(key.id, 3 * HOUR);
    expect(await endOf(rotated.secret)).toBe(START + 2 * HOUR);
  });

  test('ends a key exactly at its end, even if it is cached', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free', expiresIn: 1_000 });
    ring.now = START + 999;
    expect(await ring.verify(secret)).toBe(key.id);
    ring.now = START + 1_000;
    expect(await ring.verify(secret)).toBeUndefined();
    expect(ring.lookups).toBe(1);
  });

  test('does not look up a text that cannot be a secret', async () => {
    const ring = await open();
    for (const text of ['', 'x', 'fn_live_', `fn_live_${'0'.repeat(49)}`, 'x'.repeat(100_000)]) await ring.verify(text);
    expect(ring.lookups).toBe(0);
  });

  test('looks up a secret once in 5 seconds', async () => {
    const ring = await open();
    const { secret } = await ring.keys.create({ plan: 'free' });
    for (let count = 0; count < 100; count += 1) await ring.verify(secret);
    expect(ring.lookups).toBe(1);
    ring.now += 5_000;
    await ring.verify(secret);
    expect(ring.lookups).toBe(2);
  });

  test('caches no made-up secrets', async () => {
    const ring = await open();
    for (let count = 0; count < 1_000; count += 1) await ring.verify(mintSecret('fn', 'live', randomBytes));
    expect(ring.lookups).toBe(1_000);
    expect(ring.cache.size).toBe(0);
  });

  test('does the same work for unknown, revoked and expired secrets each time: one lookup, nothing cached', async () => {
    const ring = await open();
    const revoked = await ring.keys.create({ plan: 'free' });
    const expired = await ring.keys.create({ plan: 'free', expiresIn: 1 });
    await ring.keys.revoke(revoked.key.id);
    ring.now += 1;
    for (const secret of [mintSecret('fn', 'live', randomBytes), revoked.secret, expired.secret]) {
      ring.lookups = 0;
      for (let count = 0; count < 10; count += 1) expect(await ring.verify(secret)).toBeUndefined();
      expect([ring.lookups, ring.cache.size]).toEqual([10, 0]);
    }
  });

  test('looks up a secret again after the clock was set back', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    await ring.verify(secret);
    ring.now -= 1;
    expect(await ring.verify(secret)).toBe(key.id);
    expect(ring.lookups).toBe(2);
  });

  test('caches no more secrets than its maximum, and evicts the least recently used one', async () => {
    const ring = await open();
    const create = async () => (await ring.keys.create({ plan: 'free' })).secret;
    const [first = '', second = '', ...others] = await Promise.all(
      Array.from({ length: CACHED_SECRETS + 1 }, () => create()),
    );
    for (const secret of [first, second, ...others.slice(1), first, ...others]) await ring.verify(secret);
    expect([ring.lookups, ring.cache.size]).toEqual([CACHED_SECRETS + 1, CACHED_SECRETS]);
    for (const secret of [first, ...others, second]) await ring.verify(secret);
    expect(ring.lookups).toBe(CACHED_SECRETS + 2);
  });

  test('forgets a secret that has ended since it was cached', async () => {
    const ring = await open();
    const { secret } = await ring.keys.create({ plan: 'free', expiresIn: 1_000 });
    await ring.verify(secret);
    expect(ring.cache.size).toBe(1);
    ring.now += 5_000;
    expect(await ring.verify(secret)).toBeUndefined();
    expect(ring.cache.size).toBe(0);
  });

  test('rejects if the storage cannot answer, and caches nothing', async () => {
    const ring = await open();
    const { secret } = await ring.keys.create({ plan: 'free' });
    await ring.storage.close();
    await expect(ring.keys.verify(secret, ring.now)).rejects.toThrow('The storage cannot answer.');
    expect(ring.cache.size).toBe(0);
  });
});

describe('revoke', () => {
  test('ends a key at once in this process', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    expect(await ring.verify(secret)).toBe(key.id);
    expect(await ring.keys.revoke(key.id)).toBe(START);
    expect(await ring.verify(secret)).toBeUndefined();
  });

  test('ends a key within 5 seconds in others', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    expect(await ring.verify(secret)).toBe(key.id);
    await createKeyRing(ring.storage.keys, contract, () => ring.now, 'test').revoke(key.id);
    ring.now += 4_999;
    expect(await ring.verify(secret)).toBe(key.id);
    ring.now += 1;
    expect(await ring.verify(secret)).toBeUndefined();
  });
});
