import { LRUCache } from 'lru-cache';
import { createBatcher } from '../common/batcher.ts';
import type { Mode } from '../common/facts.ts';
import type { KeyRecord, KeyStore, SecretWithKey } from '../storage/storage.ts';
import { hashSecret, parseSecret } from './key-format.ts';

/** When a cached secret was read from the database, and when a request last used it (Unix milliseconds). */
type Cached = SecretWithKey & { readAt: number; usedAt: number };

/** Caches secrets as sent, so that most requests need neither a hash nor a storage lookup (10 µs of 30). */
export type SecretCache = LRUCache<string, Cached>;

/** About 5 MB. */
const MAX_CACHED_SECRETS = 10_000;

/** Milliseconds for which a cached secret is used. A revocation in another process takes up to this long to take effect. */
const FRESH_FOR = 5_000;

/**
 * Milliseconds between two refreshes of the cached secrets that were used in the last `IN_USE` milliseconds. Without them, every fifth request
 * of 5,000 keys would wait for a statement of its own at 4,000 requests/s; the refreshes take 8 statements/s.
 */
const REFRESH_INTERVAL = 1_000;
const IN_USE = 60_000;

const MAX_BATCH = 250;

/**
 * Looks up secrets, with a cache. One statement looks up secrets at a time, for all requests that wait, and one refreshes the cache, so that
 * made-up keys occupy one connection to the database however many there are.
 */
export function createKeyVerifier(
  store: Pick<KeyStore, 'findBySecrets'>,
  { prefix, mode }: { prefix: string; mode: Mode },
  cache: SecretCache = new LRUCache({ max: MAX_CACHED_SECRETS }),
) {
  const batcher = () => createBatcher((hashes: Buffer[]) => findAll(store, hashes), MAX_BATCH);
  // Requests never wait behind a refresh, which may be of thousands of secrets.
  const find = { request: batcher(), refresh: batcher() };
  let refreshedAt = 0;

  /** Caches valid secrets only: made-up ones would fill the memory, and all invalid ones must take the same time. */
  async function load(secret: string, now: number, reason: keyof typeof find): Promise<SecretWithKey | undefined> {
    const found = await find[reason](hashSecret(secret));
    const valid = found !== undefined && isValid(found, now) ? endingWithSecret(found) : undefined;
    const cached = cache.peek(secret);
    if (valid === undefined) cache.delete(secret);
    // In place, so that the cache stays in the order of use.
    else if (cached !== undefined) Object.assign(cached, valid, { readAt: now });
    else if (reason === 'request') cache.set(secret, { ...valid, readAt: now, usedAt: now });
    return valid;
  }

  /** Reads the cached secrets in use again before they expire, many in one statement, so that no request waits for that. */
  function refresh(now: number): void {
    if (Math.abs(now - refreshedAt) < REFRESH_INTERVAL) return;
    refreshedAt = now;
    for (const [secret, { readAt, usedAt }] of cache.entries()) {
      // The most recently used one is first.
      if (now - usedAt >= IN_USE) return;
      // If the database does not answer, the requests say so.
      if (now - readAt >= FRESH_FOR / 2) load(secret, now, 'refresh').catch(() => {});
    }
  }

  async function cachedOrFound(secret: string, now: number): Promise<SecretWithKey | undefined> {
    const cached = cache.get(secret);
    if (cached === undefined && parseSecret(secret, prefix) !== mode) return undefined;
    const age = cached === undefined ? FRESH_FOR : now - cached.readAt;
    // If the clock was set back, the age of the entry is unknown.
    if (cached === undefined || age < 0 || age >= FRESH_FOR) return load(secret, now, 'request');
    cached.usedAt = now;
    refresh(now);
    return cached;
  }

  return {
    /**
     * The key that a secret belongs to, if both are valid at `now`. If the secret ends before its key, because the key
     * was rotated, `expiresAt` is the end of the secret.
     */
    async verify(secret: string, now: number): Promise<KeyRecord | undefined> {
      const found = await cachedOrFound(secret, now);
      return found !== undefined && isValid(found, now) ? found.key : undefined;
    },
    /** Forgets all secrets, because a key has changed. */
    clear: () => cache.clear(),
  };
}

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

export function hasEnded({ expiresAt }: { expiresAt?: number | undefined }, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** A revoked key is not valid even if `revokedAt` is in the future, because the clock that set it may have been ahead. */
export function isValid({ key, secret }: SecretWithKey, now: number): boolean {
  return key.revokedAt === undefined && !hasEnded(key, now) && !hasEnded(secret, now);
}
