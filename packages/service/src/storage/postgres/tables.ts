import { usageColumns, usageNumbers } from '../rows.ts';
import { type Send, statements } from '../store-definition.ts';
import { type Sender, tableSql } from '../tables.ts';

export const { endCountedBan } = statements('usage', {
  endCountedBan: `UPDATE counts SET bans = 0, banned_until = 0, refused_window = 0
    WHERE caller = $1 AND banned_until <= $2`,
});

export const sql = tableSql({
  now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  position: 'position',
  lesser: 'least',
  greater: 'greatest',
  hashes: 'ANY ($1::bytea[])',
  // Rows in ascending order, so that two processes that save at once cannot deadlock.
  newUsage: `SELECT ${usageColumns}
    FROM unnest($1::text[], ${usageNumbers.map((_, index) => `$${index + 2}::bigint[]`).join(', ')})
    AS saved (${usageColumns}) ORDER BY key_id`,
  keys: {
    // If two processes rotate a key at once, the second one must see the new secret of the first.
    lock: 'SELECT 1 FROM keys WHERE id = $1 FOR NO KEY UPDATE',
  },
  usage: {
    // The current windows are in `counts`, unless Redis counts, or the usage was moved here and the key has not been used since.
    find: `SELECT ${usageColumns} FROM (
        SELECT 1 AS source, $1::text AS key_id, ${usageNumbers.join(', ')} FROM counts WHERE caller = 'key:' || $1
        UNION ALL SELECT 2, ${usageColumns} FROM usage WHERE key_id = $1
      ) AS known ORDER BY minute DESC, source LIMIT 1`,
    endCountedBan: endCountedBan.text,
  },
  idempotency: {
    // Nothing else here takes advisory locks of one bigint, and if two of ours collide, one of them only waits.
    lock: "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))",
    deleteOld: `DELETE FROM idempotency_records
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency_records WHERE created_at < $1 LIMIT $2))`,
  },
});

/** Sends many rows as one statement, with an array for each column. */
export function senderBy(send: Send): Sender {
  return {
    send,
    async sendAll(statement, rows) {
      const [first] = rows;
      if (first === undefined) return { rows: [], count: 0 };
      return send(
        statement,
        first.map((_, column) => rows.map((row) => row[column])),
      );
    },
  };
}
