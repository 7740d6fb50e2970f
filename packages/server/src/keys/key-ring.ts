import { randomBytes as nodeRandomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { banRules, type Mode } from '@animal-store/contract';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/time.ts';
import { banStart } from '../quota/count-request.ts';
import {
  type KeyRecord,
  type KeyStore,
  type KeyWithSecrets,
  type SecretRecord,
  StorageSetupError,
  StorageUnavailableError,
} from '../storage/storage.ts';
import { hashSecret, mintKeyId, mintSecret, parseSecret, type RandomBytes, secretHint } from './key-format.ts';
import { changedKey, checkDuration, checkNewKey, type KeyChange, KeyError, type NewKey } from './new-key.ts';

/** A key with its secret in plain text, which is shown once and stored nowhere. */
export type IssuedKey = { key: KeyRecord; secret: string };

/** Manages the API keys. All methods except `verify` are for operators. */
export interface KeyRing {
  /** The mode of the keys that it creates and accepts. */
  readonly mode: Mode;
  /** @throws KeyError if the plan, its limits, the name or the duration is not valid */
  create(newKey: NewKey): Promise<IssuedKey>;
  /** All keys, the newest last, with all their secrets. */
  list(): Promise<KeyWithSecrets[]>;
  /** @throws KeyError if no key has this ID */
  find(id: string): Promise<KeyWithSecrets>;
  /**
   * Gives a key a new secret of this ring's mode; the older ones end after `overlap` milliseconds. The ID, plan, quota and bans
   * do not change.
   * @returns the new secret, and when the older ones end at the latest (Unix milliseconds)
   * @throws KeyError if the key is unknown, revoked or expired
   */
  rotate(id: string, overlap: number): Promise<IssuedKey & { olderEndAt: number }>;
  /**
   * Ends a key at once; other processes notice within 5 seconds. Ending it again changes nothing.
   * @returns the time since which it is revoked (Unix milliseconds)
   * @throws KeyError if the key is unknown
   */
  revoke(id: string): Promise<number>;
  /**
   * Changes the plan, scope, name or limits of a key. A plan with fixed limits ends the key's own ones.
   * Other processes notice within 5 seconds.
   * @throws KeyError if the key is unknown, revoked or expired, or the result is not valid
   */
  set(id: string, change: KeyChange): Promise<KeyRecord>;
  /**
   * Ends the ban of a key; other processes notice within 5 seconds. The next ban lasts as long as a first one.
   * @param ban the ban as the database has it
   * @throws KeyError if the key is unknown
   */
  unban(id: string, ban: { bans: number; bannedUntil: number }): Promise<void>;
  /**
   * The key that a secret belongs to, if both are valid at `now`. Unknown, expired and revoked secrets,
   * and those of the other mode, all give undefined.
   * If the secret ends before its key, because the key was rotated, `expiresAt` is the end of the secret.
   * @param mayLookUp whether a secret that is not cached may be looked up; default: yes
   * @throws StorageUnavailableError
   */
  verify(secret: string, now: number, mayLookUp?: () => boolean): Promise<KeyRecord | undefined>;
}

/** A secret with the key that it belongs to. */
type SecretWithKey = { key: KeyRecord; secret: SecretRecord };

/** Caches secrets as sent, so that most requests need neither a hash nor a storage lookup (10 µs of 30). */
export type SecretCache = LRUCache<string, SecretWithKey & { readAt: number }>;

/** Milliseconds for which a cached secret is used. A revocation in another process takes up to this long to take effect. */
const FRESH_FOR = 5_000;

/** About 5 MB. */
const MAX_CACHED_SECRETS = 10_000;

export type KeyRingOptions = {
  /** The author of changes, for the audit log. Default: `server`. */
  by?: string;
  randomBytes?: RandomBytes;
  cache?: SecretCache;
};

/** The keys in a store. */
export function createKeyRing(store: KeyStore, clock: Clock, mode: Mode, options: KeyRingOptions = {}): KeyRing {
  return new StoredKeyRing(store, clock, mode, options);
}

class StoredKeyRing implements KeyRing {
  readonly mode: Mode;
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #cache: SecretCache;
  readonly #by: string;
  /** The number of key changes made by this process. */
  #generation = 0;

  constructor(store: KeyStore, clock: Clock, mode: Mode, options: KeyRingOptions) {
    this.mode = mode;
    this.#store = store;
    this.#clock = clock;
    this.#randomBytes = options.randomBytes ?? nodeRandomBytes;
    this.#cache = options.cache ?? new LRUCache({ max: MAX_CACHED_SECRETS });
    this.#by = options.by ?? 'server';
  }

  async create(newKey: NewKey): Promise<IssuedKey> {
    checkNewKey(newKey);
    const now = this.#clock();
    const key = toRecord(newKey, mintKeyId(this.#randomBytes), now);
    const { secret, record } = this.#mint(now);
    await this.#store.add(key, record, this.#by);
    return { key, secret };
  }

  list(): Promise<KeyWithSecrets[]> {
    return this.#store.list();
  }

  async find(id: string): Promise<KeyWithSecrets> {
    const key = await this.#store.find(id);
    if (key === undefined) throw new KeyError('key_unknown', 'No key has this ID.');
    return key;
  }

  async rotate(id: string, overlap: number): Promise<IssuedKey & { olderEndAt: number }> {
    checkDuration(overlap);
    const found = await this.find(id);
    const now = this.#clock();
    assertActive(found, now);
    const { secrets: _, ...key } = found;
    const { secret, record } = this.#mint(now);
    const olderEndAt = now + overlap;
    await this.#store.rotate(id, record, olderEndAt, this.#by).finally(() => this.#clearCache());
    return { key, secret, olderEndAt };
  }

  async revoke(id: string): Promise<number> {
    const { revokedAt } = await this.find(id);
    if (revokedAt !== undefined) return revokedAt;
    const now = this.#clock();
    await this.#store.revoke(id, now, this.#by).finally(() => this.#clearCache());
    return now;
  }

  async set(id: string, change: KeyChange): Promise<KeyRecord> {
    const now = this.#clock();
    assertActive(await this.find(id), now);
    const changed = await this.#store
      .update(id, (key) => changedKey(key, change), now, this.#by)
      .finally(() => this.#clearCache());
    return changed ?? (await this.find(id));
  }

  async unban(id: string, ban: { bans: number; bannedUntil: number }): Promise<void> {
    await this.find(id);
    const now = this.#clock();
    // The clock of the process that started the ban may be ahead.
    const unbannedAt = Math.max(now, banStart(ban, banRules));
    await this.#store.unban(id, unbannedAt, now, this.#by).finally(() => this.#clearCache());
  }

  async verify(secret: string, now: number, mayLookUp?: () => boolean): Promise<KeyRecord | undefined> {
    const cached = this.#cache.get(secret);
    // If the clock was set back, the age of an entry is unknown.
    const isFresh = cached !== undefined && now >= cached.readAt && now - cached.readAt < FRESH_FOR;
    if (isFresh) return isValid(cached, now) ? cached.key : undefined;
    if (cached === undefined && (parseSecret(secret) !== this.mode || mayLookUp?.() === false)) return undefined;
    return this.#load(secret, now);
  }

  /**
   * Caches valid secrets only: made-up ones would fill the memory, and refusing an expired one must take as long as refusing
   * an unknown one.
   */
  async #load(secret: string, now: number): Promise<KeyRecord | undefined> {
    const generation = this.#generation;
    const found = await this.#store.findBySecret(hashSecret(secret));
    const valid = found !== undefined && isValid(found, now) ? endingWithSecret(found) : undefined;
    // A secret that was read before a change must not be cached after it.
    if (generation === this.#generation) {
      if (valid === undefined) this.#cache.delete(secret);
      else this.#cache.set(secret, { ...valid, readAt: now });
    }
    return valid?.key;
  }

  /** Also keeps secrets that are being read from being cached. */
  #clearCache(): void {
    this.#generation += 1;
    this.#cache.clear();
  }

  #mint(createdAt: number): { secret: string; record: SecretRecord } {
    const secret = mintSecret(this.mode, this.#randomBytes);
    return { secret, record: { hash: hashSecret(secret), hint: secretHint(secret), createdAt } };
  }
}

function toRecord(
  { plan, scope = 'write', name, perMinute, perDay, expiresIn }: NewKey,
  id: string,
  createdAt: number,
): KeyRecord {
  const key: KeyRecord = { id, plan, scope, createdAt };
  if (name !== undefined) key.name = name;
  if (perMinute !== undefined) key.perMinute = perMinute;
  if (perDay !== undefined) key.perDay = perDay;
  if (expiresIn !== undefined) key.expiresAt = createdAt + expiresIn;
  return key;
}

function assertActive(key: KeyWithSecrets, now: number): void {
  const state = keyState(key, now);
  if (state !== 'active') throw new KeyError('key_ended', `The key is ${state}. Create a new one.`);
}

/**
 * Binds a database to the mode of the first server that uses it, so that live data and practice data never mix.
 * @throws StorageSetupError if it belongs to servers of the other mode
 */
export async function assertMode(store: KeyStore, mode: Mode): Promise<void> {
  const stored = await patiently(() => store.claimMode(mode));
  if (stored === mode) return;
  throw new StorageSetupError(
    `The database belongs to ${stored} servers, but API_MODE is ${mode}. Set API_MODE=${stored}, or use another database.`,
  );
}

/** Retries, because a start can wait longer than a request, for which the storage gives up after half a second. */
async function patiently<Result>(ask: () => Promise<Result>, attempts = 20): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StorageUnavailableError) || attempts === 1) throw error;
  }
  await setTimeout(500);
  return patiently(ask, attempts - 1);
}

/** The state of a key at `now`. A key whose secrets have all ended has expired as well. */
export function keyState(key: KeyWithSecrets, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.secrets.some((secret) => isValid({ key, secret }, now)) ? 'active' : 'expired';
}

/** The key, with the end of the secret if that is sooner, because the secret is what the caller sends. */
function endingWithSecret(found: SecretWithKey): SecretWithKey {
  const { key, secret } = found;
  if (secret.expiresAt === undefined || hasEnded(key, secret.expiresAt)) return found;
  return { key: { ...key, expiresAt: secret.expiresAt }, secret };
}

/** Whether a key or secret has passed its end. */
export function hasEnded({ expiresAt }: { expiresAt?: number | undefined }, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** A revoked key is not valid even if `revokedAt` is in the future, because the clock that set it may have been ahead. */
function isValid({ key, secret }: SecretWithKey, now: number): boolean {
  return key.revokedAt === undefined && !hasEnded(key, now) && !hasEnded(secret, now);
}
