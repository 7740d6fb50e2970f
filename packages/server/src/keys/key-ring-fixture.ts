import { randomBytes } from 'node:crypto';
import { afterEach } from '@jest/globals';
import { openStorage } from '../operations/storage/index.ts';
import { memoryDatabaseUrl } from '../storage/open.ts';
import type { KeyStore, Storage } from '../storage/storage.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import { SecretCache } from './secret-cache.ts';

/** A key ring under test, with a clock that the test sets. */
export type TestKeyRing = {
  storage: Storage;
  keys: KeyRing;
  cache: SecretCache;
  now: number;
  /** How often the storage was asked for a secret. */
  asked: number;
  /** The id of the key that a secret belongs to, now. */
  verify: (secret: string) => Promise<string | undefined>;
};

export const START = 1_800_000_000_000;
export const HOUR = 3_600_000;

/** Opens key ring after key ring, and closes their storages after each test. */
export function keyRingOpener(): () => Promise<TestKeyRing> {
  const opened: Storage[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  return async () => {
    const storage = await openStorage(memoryDatabaseUrl);
    opened.push(storage);
    return testKeyRing(storage);
  };
}

function testKeyRing(storage: Storage): TestKeyRing {
  const cache = new SecretCache();
  const counting: KeyStore = {
    ...storage.keys,
    findBySecret: (hash) => {
      ring.asked += 1;
      return storage.keys.findBySecret(hash);
    },
  };
  const keys = createKeyRing(counting, () => ring.now, randomBytes, cache);
  const verify = async (secret: string) => (await keys.verify(secret, ring.now))?.id;
  const ring = { storage, keys, cache, now: START, asked: 0, verify };
  return ring;
}
