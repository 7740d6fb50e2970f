import { randomBytes as nodeRandomBytes } from 'node:crypto';
import type { Clock } from '../common/clock.ts';
import { type MaybePromise, mapMaybe } from '../common/maybe-promise.ts';
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
import { isValid, keyState } from './key-state.ts';
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
  verify(secret: string, now: number): MaybePromise<KeyRecord | undefined>;
}

/** The keys in a store. */
export function createKeyRing(
  store: KeyStore,
  clock: Clock,
  randomBytes: RandomBytes = nodeRandomBytes,
  cache: SecretCache = new SecretCache(),
): KeyRing {
  return new StoredKeyRing(store, clock, randomBytes, cache);
}

class StoredKeyRing implements KeyRing {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #cache: SecretCache;

  constructor(store: KeyStore, clock: Clock, randomBytes: RandomBytes, cache: SecretCache) {
    this.#store = store;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
    this.#cache = cache;
  }

  async create(newKey: NewKey): Promise<IssuedKey> {
    checkNewKey(newKey);
    const now = this.#clock();
    const key = toRecord(newKey, mintKeyId(this.#randomBytes), now);
    const { secret, record } = this.#mint(newKey.mode, now);
    await this.#store.add(key, record);
    return { key, secret };
  }

  list(): Promise<KeyWithSecrets[]> {
    return this.#store.list();
  }

  async rotate(id: string, overlap: number): Promise<IssuedKey & { olderEndAt: number }> {
    checkDuration(overlap);
    const found = await this.#find(id);
    const now = this.#clock();
    const state = keyState(found, now);
    if (state !== 'active') throw new KeyError('key_ended', `The key is ${state}: make a new one.`);
    const { secrets, ...key } = found;
    const { secret, record } = this.#mint(modeOf(secrets), now);
    const olderEndAt = now + overlap;
    await this.#store.rotate(id, record, olderEndAt).finally(() => this.#cache.clear());
    return { key, secret, olderEndAt };
  }

  async revoke(id: string): Promise<number> {
    const { revokedAt } = await this.#find(id);
    if (revokedAt !== undefined) return revokedAt;
    const now = this.#clock();
    await this.#store.revoke(id, now).finally(() => this.#cache.clear());
    return now;
  }

  verify(secret: string, now: number): MaybePromise<KeyRecord | undefined> {
    const found = this.#cache.find(secret, now, () => this.#findValid(secret, now));
    return mapMaybe(found, (known) => (known !== undefined && isValid(known, now) ? known.key : undefined));
  }

  /** One that has ended is remembered as little as one that never was: its time to answer would tell it from that. */
  async #findValid(secret: string, now: number): Promise<KnownSecret | undefined> {
    if (parseSecret(secret) === undefined) return undefined;
    const found = await this.#store.findBySecret(hashSecret(secret));
    return found !== undefined && isValid(found, now) ? found : undefined;
  }

  async #find(id: string): Promise<KeyWithSecrets> {
    const key = await this.#store.find(id);
    if (key === undefined) throw new KeyError('key_unknown', 'No key has this ID.');
    return key;
  }

  #mint(mode: KeyMode, createdAt: number): { secret: string; record: SecretRecord } {
    const secret = mintSecret(mode, this.#randomBytes);
    return { secret, record: { hash: hashSecret(secret), hint: secretHint(secret), createdAt } };
  }
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
