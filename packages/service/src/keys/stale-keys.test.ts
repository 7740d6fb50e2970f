import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { type KeyStore, StorageUnavailableError } from '../storage/storage.ts';
import { createKeyRing } from './key-ring.ts';
import { keyRingOpener, START, type TestKeyRing } from './key-ring-fixture.ts';

const open = keyRingOpener();

/** A key ring over the same keys whose database can be away: it refuses at once, or never answers. */
function createFragileRing({ storage }: Pick<TestKeyRing, 'storage'>) {
  const database = { fault: undefined as 'refuses' | 'hangs' | undefined, lookups: 0, release: () => {} };
  const store: KeyStore = {
    ...storage.keys,
    findBySecrets: (hashes) => {
      database.lookups += 1;
      if (database.fault === 'refuses') return Promise.reject(new StorageUnavailableError(new Error('refused')));
      if (database.fault === undefined) return storage.keys.findBySecrets(hashes);
      const gate = Promise.withResolvers<void>();
      database.release = gate.resolve;
      return gate.promise.then(() => storage.keys.findBySecrets(hashes));
    },
  };
  const ring = { now: START };
  const keys = createKeyRing(store, contract, () => ring.now, 'live', { randomBytes });
  return { database, ring, keys, verify: async (secret: string) => (await keys.verify(secret, ring.now))?.id };
}

describe('many requests', () => {
  test('of one expired cache entry share one lookup', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    await ring.verify(secret);
    ring.now += 5_000;
    const verified = await Promise.all(Array.from({ length: 1_000 }, () => ring.verify(secret)));
    expect(new Set(verified)).toEqual(new Set([key.id]));
    expect(ring.lookups).toBe(2);
  });

  test('with many keys share few statements', async () => {
    const { storage, keys } = await open();
    const { database, verify } = createFragileRing({ storage });
    const secrets = await Promise.all(
      Array.from({ length: 200 }, async () => (await keys.create({ plan: 'free' })).secret),
    );
    expect(new Set(await Promise.all(secrets.map(verify))).size).toBe(200);
    expect(database.lookups).toBe(2);
  });
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
  database.fault = 'hangs';
  await verify(`${first}`);
  database.fault = undefined;
  expect(await verify(`${newSecret}`)).toBeDefined();
});

describe('if the database does not answer', () => {
  test.each(['refuses', 'hangs'] as const)(
    '(it %s), a cached key is valid for a minute after its last lookup',
    async (fault) => {
      const ring = await open();
      const { key, secret } = await ring.keys.create({ plan: 'free' });
      const fragile = createFragileRing(ring);
      expect(await fragile.verify(secret)).toBe(key.id);
      fragile.database.fault = fault;
      for (const age of [5_000, 30_000, 59_999]) {
        fragile.ring.now = START + age;
        expect(await fragile.verify(secret)).toBe(key.id);
      }
      expect(fragile.keys.staleUses).toBe(3);
      fragile.database.fault = 'refuses';
      fragile.database.release();
      await new Promise((resolve) => setImmediate(resolve));
      // The lookup that waited has now confirmed the key, as of the time at which it was sent.
      fragile.ring.now = START + (fault === 'hangs' ? 5_000 : 0) + 60_000;
      await expect(fragile.verify(secret)).rejects.toThrow('The storage cannot answer.');
    },
  );

  test('a key that has ended is refused, and so is one that is not cached', async () => {
    const ring = await open();
    const { secret } = await ring.keys.create({ plan: 'free', expiresIn: 20_000 });
    const unseen = (await ring.keys.create({ plan: 'free' })).secret;
    const fragile = createFragileRing(ring);
    await fragile.verify(secret);
    fragile.database.fault = 'refuses';
    fragile.ring.now = START + 20_000;
    expect(await fragile.verify(secret)).toBeUndefined();
    await expect(fragile.verify(unseen)).rejects.toThrow('The storage cannot answer.');
  });

  test('only the first request waits for it, and few ask it again', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    const fragile = createFragileRing(ring);
    await fragile.verify(secret);
    fragile.database.fault = 'refuses';
    fragile.ring.now = START + 5_000;
    fragile.database.lookups = 0;
    for (let request = 0; request < 500; request += 1) expect(await fragile.verify(secret)).toBe(key.id);
    // One each second of real time.
    expect(fragile.database.lookups).toBeLessThan(50);
  });

  test('a revocation that this process has made or learnt of counts at once', async () => {
    const ring = await open();
    const [own, other] = [await ring.keys.create({ plan: 'free' }), await ring.keys.create({ plan: 'free' })];
    const fragile = createFragileRing(ring);
    for (const { secret } of [own, other]) await fragile.verify(secret);
    await ring.keys.revoke(other.key.id);
    fragile.ring.now = START + 5_000;
    expect(await fragile.verify(other.secret)).toBeUndefined();
    await fragile.keys.revoke(own.key.id);
    fragile.database.fault = 'refuses';
    for (const { secret } of [own, other]) {
      await expect(fragile.verify(secret)).rejects.toThrow('The storage cannot answer.');
    }
  });

  test('a revocation counts as soon as the answer arrives, however late', async () => {
    const ring = await open();
    const { key, secret } = await ring.keys.create({ plan: 'free' });
    const fragile = createFragileRing(ring);
    await fragile.verify(secret);
    await ring.keys.revoke(key.id);
    fragile.database.fault = 'hangs';
    fragile.ring.now = START + 5_000;
    expect(await fragile.verify(secret)).toBe(key.id);
    fragile.database.fault = undefined;
    fragile.database.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await fragile.verify(secret)).toBeUndefined();
  });
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
