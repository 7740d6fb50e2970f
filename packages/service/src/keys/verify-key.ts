import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../common/batcher.ts';
import type { Mode } from '../common/contract.ts';
import { TimeoutError, withTimeout } from '../common/time.ts';
import { type KeyRecord, type KeyStore, type SecretWithKey, StorageUnavailableError } from '../storage/storage.ts';
import { hashSecret, parseSecret } from './key-format.ts';

/** When a cached secret was read from the database, and when a request last used it (Unix milliseconds). */
type Cached = SecretWithKey & { readAt: number; usedAt: number };

/** Caches secrets as sent, so that most requests need neither a hash nor a storage lookup (10 µs of 30). */
export type SecretCache = LRUCache<string, Cached>;

/** About 5 MB. */
const MAX_CACHED_SECRETS = 10_000;

/** Milliseconds for which a cached secret is used. A revocation in another process takes up to this long to take effect. */
const FRESH_FOR = 5_000;

/** Milliseconds for which a cached secret is used if the database does not answer (decision 56). */
export const STALE_FOR = 60_000;

/** Milliseconds that a request with a cached secret waits for the database before it uses that secret. */
const PATIENCE = 250;

/** Milliseconds between two lookups of cached secrets while the database does not answer. */
const RETRY_INTERVAL = 1_000;

/** Milliseconds between two refreshes of the cached secrets that were used in the last `IN_USE` milliseconds. */
const REFRESH_INTERVAL = 1_000;
const IN_USE = 60_000;

/** Milliseconds that lookups wait for others if they may be part of a flood of made-up keys. */
const GATHER = 25;

/** Why a secret is looked up. Requests never wait behind a refresh, which may be of thousands of secrets. */
type Reason = 'request' | 'suspect' | 'refresh';

/** The most secrets in one statement. */
const MAX_BATCH = 250;

/**
 * Looks up secrets, with a cache. One statement looks up secrets at a time, for all requests that wait, and one refreshes the cache, so that
 * made-up keys cost the database few statements however many there are.
 */
export function createKeyVerifier(
  store: Pick<KeyStore, 'findBySecrets'>,
  { prefix, mode }: { prefix: string; mode: Mode },
  cache: SecretCache = new LRUCache({ max: MAX_CACHED_SECRETS }),
) {
  const batcher = new Batcher<Buffer, SecretWithKey | undefined>((_, hashes) => findAll(store, hashes), MAX_BATCH);
  const lookups = new Map<string, Promise<SecretWithKey | undefined>>();
  /** The number of key changes made by this process. */
  let generation = 0;
  let refreshedAt = 0;
  let gathering: Promise<void> | undefined;
  /** While the database does not answer: when to ask it again, by `performance.now()`. */
  let retryAt: number | undefined;
  let staleUses = 0;

  /**
   * Caches valid secrets only: made-up ones would fill the memory, and refusing an expired one must take as long as refusing
   * an unknown one.
   */
  async function read(secret: string, now: number, reason: Reason): Promise<SecretWithKey | undefined> {
    const before = generation;
    if (reason === 'suspect') await gather();
    const found = await batcher.load(reason === 'refresh' ? 'refresh' : 'requests', hashSecret(secret));
    retryAt = undefined;
    const valid = found !== undefined && isValid(found, now) ? endingWithSecret(found) : undefined;
    // A secret that was read before a change must not be cached after it.
    if (before !== generation) return valid;
    const cached = cache.peek(secret);
    if (valid === undefined) cache.delete(secret);
    else if (cached === undefined) cache.set(secret, { ...valid, readAt: now, usedAt: now });
    // In place, so that the cache stays in the order of use.
    else Object.assign(cached, valid, { readAt: now });
    return valid;
  }

  /** Requests with the same secret share a lookup. */
  function load(secret: string, now: number, reason: Reason = 'request'): Promise<SecretWithKey | undefined> {
    const current = lookups.get(secret);
    if (current !== undefined) return current;
    const lookup = read(secret, now, reason).finally(() => {
      if (lookups.get(secret) === lookup) lookups.delete(secret);
    });
    lookups.set(secret, lookup);
    return lookup;
  }

  /** Resolves once for all lookups of `GATHER` milliseconds, so that they share a statement. */
  function gather(): Promise<void> {
    gathering ??= setTimeout(GATHER, undefined, { ref: false }).then(() => {
      gathering = undefined;
    });
    return gathering;
  }

  /** Reads a secret that is not fresh any more. If the database does not answer in time, the cached one counts. */
  async function confirm(secret: string, now: number): Promise<SecretWithKey | undefined> {
    if (retryAt === undefined) {
      try {
        return await withTimeout(load(secret, now), PATIENCE);
      } catch (error) {
        if (!(error instanceof TimeoutError || error instanceof StorageUnavailableError)) throw error;
        retryAt = performance.now() + RETRY_INTERVAL;
      }
    } else if (performance.now() >= retryAt) {
      retryAt = performance.now() + RETRY_INTERVAL;
      load(secret, now).catch(() => {});
    }
    // This process may have changed the key, or learnt that it was changed, in the meantime.
    const cached = cache.peek(secret);
    if (cached === undefined) return load(secret, now);
    staleUses += 1;
    return cached;
  }

  /** Reads the cached secrets in use again before they expire, many in one statement, so that no request waits for that. */
  function refresh(now: number): void {
    if (retryAt !== undefined || Math.abs(now - refreshedAt) < REFRESH_INTERVAL) return;
    refreshedAt = now;
    for (const [secret, { readAt, usedAt }] of cache.entries()) {
      // The most recently used one is first.
      if (now - usedAt >= IN_USE) return;
      if (now - readAt >= FRESH_FOR / 2) load(secret, now, 'refresh').catch(() => {});
    }
  }

  async function find(secret: string, now: number, isSuspect: () => boolean): Promise<SecretWithKey | undefined> {
    const cached = cache.get(secret);
    if (cached === undefined)
      return parseSecret(secret, prefix) === mode ? load(secret, now, isSuspect() ? 'suspect' : 'request') : undefined;
    cached.usedAt = now;
    const age = now - cached.readAt;
    // If the clock was set back, the age of the entry is unknown.
    if (age < 0 || age >= STALE_FOR) return load(secret, now);
    return age < FRESH_FOR ? cached : confirm(secret, now);
  }

  return {
    /**
     * The key that a secret belongs to, if both are valid at `now`. Unknown, expired and revoked secrets,
     * and those of the other mode, all give undefined.
     * If the secret ends before its key, because the key was rotated, `expiresAt` is the end of the secret.
     * If the database does not answer, a secret that it confirmed less than a minute ago counts as valid.
     * @param isSuspect whether the secret may be part of a flood of made-up ones, so that its lookup may wait for others
     * @throws StorageUnavailableError
     */
    async verify(secret: string, now: number, isSuspect: () => boolean = () => false): Promise<KeyRecord | undefined> {
      const finding = find(secret, now, isSuspect);
      refresh(now);
      const found = await finding;
      return found !== undefined && isValid(found, now) ? found.key : undefined;
    },
    /** Forgets all secrets, and keeps those that are being read from being cached, because a key has changed. */
    clear() {
      generation += 1;
      cache.clear();
      lookups.clear();
    },
    /** How many requests used a cached secret that the database did not confirm in time. */
    get staleUses() {
      return staleUses;
    },
  };
}

/** The answer to each hash, in their order. */
async function findAll(
  store: Pick<KeyStore, 'findBySecrets'>,
  hashes: readonly Buffer[],
): Promise<(SecretWithKey | undefined)[]> {
  const found = await store.findBySecrets(hashes);
  const byHash = new Map(found.map((one) => [textOf(one.secret.hash), one]));
  return hashes.map((hash) => byHash.get(textOf(hash)));
}

function textOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('latin1');
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
export function isValid({ key, secret }: SecretWithKey, now: number): boolean {
  return key.revokedAt === undefined && !hasEnded(key, now) && !hasEnded(secret, now);
}
