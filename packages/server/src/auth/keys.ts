import { randomBytes as nodeRandomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { KeyRecord, KeyStore, KeyWithSecrets, SecretRecord } from '../storage/storage.ts';
import {
  hashSecret,
  type KeyMode,
  mintKeyId,
  mintSecret,
  parseSecret,
  type RandomBytes,
  secretHint,
} from './key-format.ts';
import { checkDuration, checkNewKey, KeyError, type NewKey } from './new-key.ts';
import { type KnownSecret, SecretCache } from './secret-cache.ts';

/** A key with its secret in plain text: shown once, kept nowhere. */
export type IssuedKey = { key: KeyRecord; secret: string };

/** The keys of the API: who may call. Everything but `verify` is for operators. */
export interface KeyRing {
  /** @throws KeyError when the plan, its limits, the name or the duration do not fit */
  create(newKey: NewKey): Promise<IssuedKey>;
  /** All keys, the newest last, with all their secrets. */
  list(): Promise<KeyWithSecrets[]>;
  /**
   * Gives a key a new secret; the older ones end after `overlap` milliseconds. Id, plan, quota and bans stay.
   * @returns also when the older secrets end at the latest (Unix milliseconds)
   * @throws KeyError when the key is unknown, revoked or expired
   */
  rotate(id: string, overlap: number): Promise<IssuedKey & { olderEndAt: number }>;
  /**
   * Ends a key at once; other processes notice within 5 seconds. Ending it again changes nothing.
   * @returns the time since which it is revoked (Unix milliseconds)
   * @throws KeyError when the key is unknown
   */
  revoke(id: string): Promise<number>;
  /**
   * The key that a secret belongs to, when both are valid at `now`. Whatever is wrong with it, the answer is the same.
   * @throws StorageUnavailableError
   */
  verify(secret: string, now: number): Promise<KeyRecord | undefined>;
}

/** The keys in a store. */
export function createKeyRing(
  store: KeyStore,
  clock: Clock,
  randomBytes: RandomBytes = nodeRandomBytes,
  cache: SecretCache = new SecretCache(),
): KeyRing {
  function mint(mode: KeyMode, createdAt: number): { secret: string; record: SecretRecord } {
    const secret = mintSecret(mode, randomBytes);
    return { secret, record: { hash: hashSecret(secret), hint: secretHint(secret), createdAt } };
  }

  async function find(id: string): Promise<KeyWithSecrets> {
    const key = await store.find(id);
    if (key === undefined) throw new KeyError('key_unknown', 'No key has this ID.');
    return key;
  }

  return {
    async create(newKey) {
      checkNewKey(newKey);
      const now = clock();
      const key = toRecord(newKey, mintKeyId(randomBytes), now);
      const { secret, record } = mint(newKey.mode, now);
      await store.add(key, record);
      return { key, secret };
    },

    list: () => store.list(),

    async rotate(id, overlap) {
      checkDuration(overlap);
      const now = clock();
      const { secrets, ...key } = await find(id);
      const state = keyState({ ...key, secrets }, now);
      if (state !== 'active') throw new KeyError('key_ended', `The key is ${state}: make a new one.`);
      const { secret, record } = mint(modeOf(secrets), now);
      const olderEndAt = now + overlap;
      await store.rotate(id, record, olderEndAt).finally(() => cache.clear());
      return { key, secret, olderEndAt };
    },

    async revoke(id) {
      const { revokedAt } = await find(id);
      if (revokedAt !== undefined) return revokedAt;
      const now = clock();
      await store.revoke(id, now).finally(() => cache.clear());
      return now;
    },

    async verify(secret, now) {
      if (parseSecret(secret) === undefined) return undefined;
      const found = await cache.find(hashSecret(secret), now, (hash) => store.findBySecret(hash));
      return found !== undefined && isValid(found, now) ? found.key : undefined;
    },
  };
}

/** Whether a key can be used at `now`. With all its secrets ended it has expired, too. */
export function keyState(key: KeyWithSecrets, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.secrets.some((secret) => isValid({ key, secret }, now)) ? 'active' : 'expired';
}

/** A key that is marked as revoked is, even if the clock that marked it is ahead of ours. */
function isValid({ key, secret }: KnownSecret, now: number): boolean {
  return key.revokedAt === undefined && !hasEnded(key, now) && !hasEnded(secret, now);
}

/** Whether a key or secret has passed its end. */
export function hasEnded({ expiresAt }: { expiresAt?: number | undefined }, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

function toRecord({ plan, name, perMinute, perDay, expiresIn }: NewKey, id: string, createdAt: number): KeyRecord {
  const key: KeyRecord = { id, plan, createdAt };
  if (name !== undefined) key.name = name;
  if (perMinute !== undefined) key.perMinute = perMinute;
  if (perDay !== undefined) key.perDay = perDay;
  if (expiresIn !== undefined) key.expiresAt = createdAt + expiresIn;
  return key;
}

function modeOf(secrets: readonly SecretRecord[]): KeyMode {
  return secrets.at(-1)?.hint.startsWith('as_test_') ? 'test' : 'live';
}
