import type { DatabaseSync } from 'node:sqlite';
import { toReply } from '../../rows/replies.ts';
import type { KeptReply } from '../../storage.ts';

export const replySql = {
  find: `SELECT fingerprint, status, headers, body, kept_at FROM kept_replies
    WHERE key_id = ? AND idempotency_key = ? AND kept_at >= ?`,
  keep: `INSERT OR REPLACE INTO kept_replies (key_id, idempotency_key, fingerprint, status, headers, body, kept_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  forget: `DELETE FROM kept_replies WHERE rowid IN (SELECT rowid FROM kept_replies WHERE kept_at < ? LIMIT ?)`,
};

export type ReplyTable = ReturnType<typeof replyTable>;

/** The table of first replies to requests with an Idempotency-Key, on one connection. */
export function replyTable(database: DatabaseSync) {
  const find = database.prepare(replySql.find, { returnArrays: true });
  const keep = database.prepare(replySql.keep);
  const forget = database.prepare(replySql.forget);
  return {
    find(keyId: string, idempotencyKey: string, notBefore: number): KeptReply | undefined {
      const row = find.get(keyId, idempotencyKey, notBefore);
      return row && toReply(row);
    },
    keep(keyId: string, idempotencyKey: string, reply: KeptReply): void {
      const { fingerprint, status, headers, body, keptAt } = reply;
      keep.run(keyId, idempotencyKey, fingerprint, status, JSON.stringify(headers), body, keptAt);
    },
    /** Forgets at most `limit` replies kept before `before`, and says how many. */
    forget(before: number, limit: number): number {
      return Number(forget.run(before, limit).changes);
    },
  };
}
