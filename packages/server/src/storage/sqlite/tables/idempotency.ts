import type { DatabaseSync } from 'node:sqlite';
import { toIdempotencyRecord } from '../../rows/idempotency.ts';
import type { IdempotencyRecord } from '../../storage.ts';

export const idempotencySql = {
  find: `SELECT fingerprint, status, headers, body, kept_at FROM kept_replies
    WHERE key_id = ? AND idempotency_key = ? AND kept_at >= ?`,
  keep: `INSERT OR REPLACE INTO kept_replies (key_id, idempotency_key, fingerprint, status, headers, body, kept_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  forget: `DELETE FROM kept_replies WHERE rowid IN (SELECT rowid FROM kept_replies WHERE kept_at < ? LIMIT ?)`,
};

export type IdempotencyTable = ReturnType<typeof idempotencyTable>;

/** The table of first responses to requests with an Idempotency-Key, on one connection. */
export function idempotencyTable(database: DatabaseSync) {
  const find = database.prepare(idempotencySql.find, { returnArrays: true });
  const keep = database.prepare(idempotencySql.keep);
  const forget = database.prepare(idempotencySql.forget);
  return {
    find(keyId: string, idempotencyKey: string, notBefore: number): IdempotencyRecord | undefined {
      const row = find.get(keyId, idempotencyKey, notBefore);
      return row && toIdempotencyRecord(row);
    },
    keep(keyId: string, idempotencyKey: string, response: IdempotencyRecord): void {
      const { fingerprint, status, headers, body, createdAt } = response;
      keep.run(keyId, idempotencyKey, fingerprint, status, JSON.stringify(headers), body, createdAt);
    },
    /** Forgets at most `limit` responses kept before `before`, and says how many. */
    forget(before: number, limit: number): number {
      return Number(forget.run(before, limit).changes);
    },
  };
}
