import { randomBytes } from 'node:crypto';
import { afterEach } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { contract } from '../../test/toy-contract.ts';
import { memoryDatabaseUrl } from '../storage/open.ts';
import type { KeyStore, Storage } from '../storage/storage.ts';
import { openNotes } from '../storage/suite/notes.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';
import type { SecretCache } from './verify-key.ts';

/** A key ring with a clock that the test sets. */
export type TestKeyRing = {
  storage: Storage;
  keys: KeyRing;
  cache: SecretCache;
  now: number;
  /** How often the storage has looked up a secret. */
  lookups: number;
  /** The ID of the key that a secret is valid for now. */
  verify: (secret: string) => Promise<string | undefined>;
};

export const START = 1_800_000_000_000;
/** How many secrets the key ring caches. */
export const CACHED_SECRETS = 3;
export const HOUR = 3_600_000;

/** Opens key rings, and closes their storages after each test. */
export function keyRingOpener(): () => Promise<TestKeyRing> {
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
