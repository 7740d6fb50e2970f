import type { KeyWithSecrets } from '../storage/storage.ts';
import type { KnownSecret } from './secret-cache.ts';

/** Whether a key can be used at `now`. With all its secrets ended it has expired, too. */
export function keyState(key: KeyWithSecrets, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.secrets.some((secret) => isValid({ key, secret }, now)) ? 'active' : 'expired';
}

/** Whether a secret and its key can be used. Revoked is revoked, even if the clock that noted it is ahead of ours. */
export function isValid({ key, secret }: KnownSecret, now: number): boolean {
  return key.revokedAt === undefined && !hasEnded(key, now) && !hasEnded(secret, now);
}

/** Whether a key or secret has passed its end. */
export function hasEnded({ expiresAt }: { expiresAt?: number | undefined }, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}
