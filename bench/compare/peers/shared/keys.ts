import { hash } from 'node:crypto';
import type { Database, Key } from './database.ts';

/** For how long a verified secret is not looked up again, and how many of them: as our server has it. */
const FRESH = 5_000;
const CAPACITY = 10_000;

/** Whoever sent a wrong key, or none. */
export type Stranger = 'missing' | 'invalid';

/** Says whose key a request carries. Verified secrets are remembered by their hash; made-up ones are not. */
export function keyReader(database: Database) {
  const known = new Map<string, { key: Key; readAt: number }>();

  return (authorization: string | undefined, now: number): Key | Stranger => {
    if (authorization === undefined || !authorization.startsWith('Bearer ')) return 'missing';
    const digest = hash('sha256', authorization.slice('Bearer '.length), 'base64');
    const remembered = known.get(digest);
    const isFresh = remembered !== undefined && now - remembered.readAt < FRESH;
    const key = isFresh ? remembered.key : database.findKey(Buffer.from(digest, 'base64'));
    if (key === undefined || key.validUntil <= now) return 'invalid';
    if (!isFresh) remember(digest, key, now);
    return key;
  };

  function remember(digest: string, key: Key, readAt: number): void {
    known.delete(digest);
    const [oldest] = known.size < CAPACITY ? [] : known.keys();
    if (oldest !== undefined) known.delete(oldest);
    known.set(digest, { key, readAt });
  }
}
