import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import type { KeyStore } from '../storage/storage.ts';
import { createKeyRing } from './key-ring.ts';
import { keyRingOpener, START, type TestKeyRing } from './key-ring-fixture.ts';

const open = keyRingOpener();

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
  expect(database.lookups).toBe(2);
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
