import { knowsOlderBan, toUsage, usageColumns } from '../../rows/usage.ts';
import type { UsageRecord } from '../../storage.ts';
import { type Send, statements } from '../connection/statement.ts';

const columns = usageColumns.split(', ');
const numbers = columns.slice(1);

export const usageSql = statements('usage', {
  // A later day was counted by a clock that has been set back since. Reads the whole table, one row per key, once at
  // start; indexes would cost at each of the many saves.
  load: `SELECT ${usageColumns} FROM usage WHERE day >= $1 OR banned_until > $2`,
  // All records in one statement. By ascending key, so that two processes that save at once cannot lock crosswise.
  save: `INSERT INTO usage (${usageColumns})
    SELECT ${usageColumns} FROM unnest($1::text[], ${numbers.map((_, index) => `$${index + 2}::bigint[]`).join(', ')})
      AS saved (${usageColumns}) ORDER BY key_id
    ON CONFLICT (key_id) DO UPDATE SET ${numbers.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE NOT ${knowsOlderBan}`,
});

/** The table of what keys have used. */
export function usageTable(send: Send) {
  return {
    async load(day: number, bannedSince: number): Promise<UsageRecord[]> {
      return (await send(usageSql.load, [day, bannedSince])).rows.map(toUsage);
    },
    async save(records: readonly UsageRecord[]): Promise<void> {
      await send(usageSql.save, [
        records.map(({ keyId }) => keyId),
        records.map(({ minute }) => minute),
        records.map(({ minuteUsed }) => minuteUsed),
        records.map(({ day }) => day),
        records.map(({ dayUsed }) => dayUsed),
        records.map(({ bans }) => bans),
        records.map(({ bannedUntil }) => bannedUntil),
      ]);
    },
  };
}
