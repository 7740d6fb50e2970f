import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { contract } from '../../test/toy-contract.ts';
import { memoryDatabaseUrl } from '../storage/open.ts';
import type { KeyStore, Storage } from '../storage/storage.ts';
import { openNotes } from '../storage/suite/notes.ts';
import { hashSecret, mintSecret } from './key-format.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import type { SecretCache } from './verify-key.ts';

/** A key ring with a clock that the test sets. */
type TestKeyRing = {
  storage: Storage;
  keys: KeyRing;
  cache: SecretCache;
  now: number;
  /** How often the storage has looked up a secret. */
  lookups: number;
  /** The ID of the key that a secret is valid for now. */
  verify: (secret: string) => Promise<string | undefined>;
};

const START = 1_800_000_000_000;
/** How many secrets the key ring caches. */
const CACHED_SECRETS = 3;
const HOUR = 3_600_000;

/** Opens key rings, and closes their storages after each test. */
function keyRingOpener(): () => Promise<TestKeyRing> {
  const opened: Storage[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  return async () => {
    const storage = await openNotes(memoryDatabaseUrl);
    opened.push(storage);
    return testKeyRing(storage);
  };
}

function testKeyRing(storage: Storage): TestKeyRing {
  const cache: SecretCache = new LRUCache({ max: CACHED_SECRETS });
  const store: KeyStore = {
    ...storage.keys,
    findBySecrets: (hashes) => {
      ring.lookups += hashes.length;
      return storage.keys.findBySecrets(hashes);
    },
  };
  const keys = createKeyRing(store, contract, () => ring.now, 'live', { randomBytes, cache });
  const verify = async (secret: string) => (await keys.verify(secret, ring.now))?.id;
  const ring = { storage, keys, cache, now: START, lookups: 0, verify };
  return ring;
}

const open = keyRingOpener();

describe('create', () => {
  test('returns a key and its secret, of which only the hash is stored', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'pro', name: 'Ann' });
    expect(key).toStrictEqual({ id: key.id, plan: 'pro', scope: 'write', name: 'Ann', createdAt: START });
    expect(secret).toMatch(/^fn_live_/);
    const [stored] = await ring.keys.list();
    expect(stored).toMatchObject({ ...key, secrets: [{ hint: `fn_live_…${secret.slice(-4)}`, createdAt: START }] });
    expect(Buffer.from(stored?.secrets[0]?.hash ?? []).equals(hashSecret(secret))).toBe(true);
    expect(JSON.stringify(stored)).not.toContain(secret.slice(8, -6));
  });
});

describe('rotate', () => {
  test('returns a new secret for the same key; the older one ends after the overlap', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    expect(await ring.verify(secret)).toBe(key.id);
    const rotated = await ring.keys.rotate(key.id, HOUR);
    expect(rotated).toMatchObject({ key, olderEndAt: START + HOUR });
    expect(rotated.secret).toMatch(/^fn_live_/);
    ring.now = START + HOUR - 1;
    expect([await ring.verify(secret), await ring.verify(rotated.secret)]).toEqual([key.id, key.id]);
    ring.now = START + HOUR;
    expect([await ring.verify(secret), await ring.verify(rotated.secret)]).toEqual([undefined, key.id]);
  });

  test('without overlap ends the older one at once, even if it is cached', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    expect(await ring.verify(secret)).toBe(key.id);
    const rotated = await ring.keys.rotate(key.id, 0);
    expect([await ring.verify(secret), await ring.verify(rotated.secret)]).toEqual([undefined, key.id]);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the overlap %d', async (overlap) => {
    const ring = await open();
    const { key } = await ring.keys.create({ plan: 'free' });
    await expect(ring.keys.rotate(key.id, overlap)).rejects.toMatchObject({
      message: expect.stringContaining('Change the duration.'),
    });
  });

  test('refuses unknown, revoked and expired keys', async () => {
    const ring = await open();
    await expect(ring.keys.rotate('key_0000000000000000', 0)).rejects.toMatchObject({
      message: expect.stringContaining('No key has this ID.'),
    });
    const revoked = await ring.keys.create({ plan: 'free' });
    await ring.keys.revoke(revoked.key.id);
    await expect(ring.keys.rotate(revoked.key.id, 0)).rejects.toThrow('The key is revoked. Create a new one.');
    const expired = await ring.keys.create({ plan: 'free', expiresIn: 1 });
    ring.now += 1;
    await expect(ring.keys.rotate(expired.key.id, 0)).rejects.toThrow('The key is expired. Create a new one.');
  });
});

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
});

/** A key ring over the same keys whose database can hang. */
function createFragileRing({ storage }: Pick<TestKeyRing, 'storage'>) {
  const database = { hangs: false, lookups: 0 };
  const store: KeyStore = {
    ...storage.keys,
    findBySecrets: (hashes) => {
      database.lookups += 1;
      return database.hangs ? new Promise(() => {}) : storage.keys.findBySecrets(hashes);
    },
  };
  const ring = { now: START };
  const keys = createKeyRing(store, contract, () => ring.now, 'live', { randomBytes });
  return { database, ring, keys, verify: async (secret: string) => (await keys.verify(secret, ring.now))?.id };
}

test('requests with many keys share few statements', async () => {
  const { storage, keys } = await open();
  const { database, verify } = createFragileRing({ storage });
  const secrets = await Promise.all(
    Array.from({ length: 200 }, async () => (await keys.create({ plan: 'free' })).secret),
  );
  expect(new Set(await Promise.all(secrets.map(verify))).size).toBe(200);
  expect(database.lookups).toBe(1);
});

test('a request with a new key does not wait behind the refresh of cached keys', async () => {
  const { storage, keys } = await open();
  const { database, ring, verify } = createFragileRing({ storage });
  const [first, second, newSecret] = await Promise.all(
    Array.from({ length: 3 }, async () => (await keys.create({ plan: 'free' })).secret),
  );
  await Promise.all([verify(`${first}`), verify(`${second}`)]);
  // Old enough for a refresh, which hangs.
  ring.now += 3_000;
  database.hangs = true;
  await verify(`${first}`);
  database.hangs = false;
  expect(await verify(`${newSecret}`)).toBeDefined();
});

test('keys in use are looked up before they expire in the cache, many in one statement', async () => {
  const ring = await open();
  const fragile = createFragileRing(ring);
  const secrets = await Promise.all(
    Array.from({ length: 100 }, async () => (await ring.keys.create({ plan: 'free' })).secret),
  );
  for (const secret of secrets) await fragile.verify(secret);
  fragile.database.lookups = 0;
  for (let second = 1; second <= 60; second += 1) {
    fragile.ring.now = START + second * 1_000;
    // Each second another part of the keys is used, so that most would have expired before their next use.
    for (const secret of secrets.slice((second % 10) * 10, (second % 10) * 10 + 10)) await fragile.verify(secret);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Two in three seconds; one for each use would be 600.
  expect(fragile.database.lookups).toBeLessThanOrEqual(60);
});
