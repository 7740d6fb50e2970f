import { toIdempotencyRecord } from '../../rows/idempotency.ts';
import type { IdempotencyRecord } from '../../storage.ts';
import { type Send, statements } from '../connection/statement.ts';

export const idempotencySql = statements('responses', {
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

/** The table of first responses to requests with an Idempotency-Key. */
export function idempotencyTable(send: Send) {
  return {
    /** Until the transaction ends, whoever else looks for the same response waits: so a request is acted on once. */
    async findAndLock(
      keyId: string,
      idempotencyKey: string,
      notBefore: number,
    ): Promise<IdempotencyRecord | undefined> {
      // A statement of its own: the next one sees what was committed while this one waited.
      await send(idempotencySql.lock, [keyId, idempotencyKey]);
      const [row] = (await send(idempotencySql.find, [keyId, idempotencyKey, notBefore])).rows;
      return row && toIdempotencyRecord(row);
    },
    async keep(keyId: string, idempotencyKey: string, response: IdempotencyRecord): Promise<void> {
      const { fingerprint, status, headers, body, createdAt } = response;
      await send(idempotencySql.keep, [
        keyId,
        idempotencyKey,
        fingerprint,
        status,
        JSON.stringify(headers),
        body,
        createdAt,
      ]);
    },
    /** Forgets at most `limit` responses kept before `before`, and says how many. */
    async forget(before: number, limit: number): Promise<number> {
      return (await send(idempotencySql.forget, [before, limit])).count;
    },
  };
}
