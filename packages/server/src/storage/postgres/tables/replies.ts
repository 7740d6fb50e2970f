import { toReply } from '../../rows/replies.ts';
import type { KeptReply } from '../../storage.ts';
import { type Send, statements } from '../connection/statement.ts';

export const replySql = statements('replies', {
  // Keys of our own cannot collide with the locks of others here, and a collision among ours only waits.
  lock: "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))",
  find: `SELECT fingerprint, status, headers, body, kept_at FROM kept_replies
    WHERE key_id = $1 AND idempotency_key = $2 AND kept_at >= $3`,
  keep: `INSERT INTO kept_replies (key_id, idempotency_key, fingerprint, status, headers, body, kept_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    kept_at = excluded.kept_at`,
  forget: `DELETE FROM kept_replies
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM kept_replies WHERE kept_at < $1 LIMIT $2))`,
});

/** The table of first replies to requests with an Idempotency-Key. */
export function replyTable(send: Send) {
  return {
    /** Until the transaction ends, whoever else looks for the same reply waits: so a request is acted on once. */
    async findAndLock(keyId: string, idempotencyKey: string, notBefore: number): Promise<KeptReply | undefined> {
      // A statement of its own: the next one sees what was committed while this one waited.
      await send(replySql.lock, [keyId, idempotencyKey]);
      const [row] = (await send(replySql.find, [keyId, idempotencyKey, notBefore])).rows;
      return row && toReply(row);
    },
    async keep(keyId: string, idempotencyKey: string, reply: KeptReply): Promise<void> {
      const { fingerprint, status, headers, body, keptAt } = reply;
      await send(replySql.keep, [keyId, idempotencyKey, fingerprint, status, JSON.stringify(headers), body, keptAt]);
    },
    /** Forgets at most `limit` replies kept before `before`, and says how many. */
    async forget(before: number, limit: number): Promise<number> {
      return (await send(replySql.forget, [before, limit])).count;
    },
  };
}
