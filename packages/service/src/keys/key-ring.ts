import { randomBytes as nodeRandomBytes } from 'node:crypto';
import type { Contract, Mode } from '../common/facts.ts';
import type { Clock } from '../common/time.ts';
import { banStart } from '../rate-limit/count-request.ts';
import {
  type KeyRecord,
  type KeyStore,
  type KeyWithSecrets,
  type SecretRecord,
  StorageSetupError,
} from '../storage/storage.ts';
import { hashSecret, mintKeyId, mintSecret, type RandomBytes, secretHint } from './key-format.ts';
import { allScopes, changedKey, checkDuration, checkNewKey, type KeyChange, KeyError, type NewKey } from './new-key.ts';
import { createKeyVerifier, isValid, type SecretCache } from './verify-key.ts';

/** A key with its secret in plain text, which is shown once and stored nowhere. */
export type IssuedKey = { key: KeyRecord; secret: string };

/** Manages the API keys. All methods except `verify` are for operators. */
export type KeyRing = ReturnType<typeof createKeyRing>;

export type KeyRingOptions = {
  randomBytes?: RandomBytes;
  cache?: SecretCache;
};

export function createKeyRing(
  store: KeyStore,
  { plans, scopes, banRules, keyPrefix: prefix }: Pick<Contract, 'plans' | 'scopes' | 'banRules' | 'keyPrefix'>,
  clock: Clock,
  mode: Mode,
  { randomBytes = nodeRandomBytes, cache }: KeyRingOptions = {},
) {
  const verifier = createKeyVerifier(store, { prefix, mode }, cache);

  async function find(id: string): Promise<KeyWithSecrets> {
    const key = await store.find(id);
    if (key === undefined)
      throw new KeyError('No key has this ID. To list the keys, run: npm run --silent keys -- list');
    return key;
  }

  function mint(createdAt: number): { secret: string; record: SecretRecord } {
    const secret = mintSecret(prefix, mode, randomBytes);
    return { secret, record: { hash: hashSecret(secret), hint: secretHint(secret), createdAt } };
  }

  return {
    mode,
    /** @throws KeyError if the plan, its limits, the name or the duration is not valid */
    async create(newKey: NewKey): Promise<IssuedKey> {
      checkNewKey(newKey, plans);
      const { plan = '', scope = allScopes({ scopes }), expiresIn, ...rest } = newKey;
      const createdAt = clock();
      const expiry = expiresIn === undefined ? {} : { expiresAt: createdAt + expiresIn };
      const key = { id: mintKeyId(randomBytes), plan, scope, createdAt, ...rest, ...expiry };
      const { secret, record } = mint(createdAt);
      await store.add(key, record);
      return { key, secret };
    },
    list: () => store.list(),
    find,
    /**
     * Gives a key a new secret of this ring's mode. The ID, plan, quota and bans do not change.
     * @returns the new secret, and when the older ones end at the latest: after `overlap` milliseconds
     * @throws KeyError if the key is unknown, revoked or expired
     */
    async rotate(id: string, overlap: number): Promise<IssuedKey & { olderEndAt: number }> {
      checkDuration(overlap);
      const found = await find(id);
      const now = clock();
      assertActive(found, now);
      const { secrets: _, ...key } = found;
      const { secret, record } = mint(now);
      const olderEndAt = now + overlap;
      await store.rotate(id, record, olderEndAt).finally(verifier.clear);
      return { key, secret, olderEndAt };
    },
    /**
     * Ends a key; other processes notice within 5 seconds. Returns the time since which it is revoked (Unix
     * milliseconds).
     */
    async revoke(id: string): Promise<number> {
      const { revokedAt } = await find(id);
      if (revokedAt !== undefined) return revokedAt;
      const now = clock();
      await store.revoke(id, now).finally(verifier.clear);
      return now;
    },
    /** @throws KeyError if the key is unknown, revoked or expired, or the result is not valid */
    async set(id: string, change: KeyChange): Promise<KeyRecord> {
      assertActive(await find(id), clock());
      const changed = await store.update(id, (key) => changedKey(key, change, plans)).finally(verifier.clear);
      return changed ?? (await find(id));
    },
    /** Ends the ban of a key, as the database has it. The next ban lasts as long as a first one. */
    async unban(id: string, ban: { bans: number; bannedUntil: number }): Promise<void> {
      await find(id);
      const now = clock();
      // The clock of the process that started the ban may be ahead.
      const unbannedAt = banRules === null ? now : Math.max(now, banStart(ban, banRules));
      await store.unban(id, unbannedAt).finally(verifier.clear);
    },
    verify: verifier.verify,
  };
}

function assertActive(key: KeyWithSecrets, now: number): void {
  const state = keyState(key, now);
  if (state !== 'active')
    throw new KeyError(`The key is ${state}. Create a new one. Run: npm run --silent keys -- create`);
}

/** Binds a database to the mode of its first server. @throws StorageSetupError if that is the other mode */
export async function assertMode(store: KeyStore, mode: Mode): Promise<void> {
  const stored = await store.claimMode(mode);
  if (stored === mode) return;
  throw new StorageSetupError(
    `The database belongs to ${stored} servers, but API_MODE is ${mode}. Set API_MODE=${stored}, or use another database.`,
  );
}

/** The state of a key at `now`. A key whose secrets have all ended has expired as well. */
export function keyState(key: KeyWithSecrets, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.secrets.some((secret) => isValid({ key, secret }, now)) ? 'active' : 'expired';
}
