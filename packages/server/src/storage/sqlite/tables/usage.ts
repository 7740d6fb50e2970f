import type { DatabaseSync } from 'node:sqlite';
import { knowsOlderBan, toUsage, usageColumns } from '../../rows/usage.ts';
import type { UsageRecord } from '../../storage.ts';

const numbers = usageColumns.split(', ').slice(1);

export const usageSql = {
  // A later day was counted by a clock that has been set back since. Reads the whole table, one row per key, once at
  // start; indexes would cost at each of the many saves.
  load: `SELECT ${usageColumns} FROM usage WHERE day >= ? OR banned_until > ?`,
  save: `INSERT INTO usage (${usageColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key_id) DO UPDATE SET ${numbers.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE NOT ${knowsOlderBan}`,
};

export type UsageTable = ReturnType<typeof usageTable>;

/** The table of what keys have used, on one connection. */
export function usageTable(database: DatabaseSync) {
  const load = database.prepare(usageSql.load, { returnArrays: true });
  const save = database.prepare(usageSql.save);
  return {
    load: (day: number, bannedSince: number): UsageRecord[] => load.all(day, bannedSince).map(toUsage),
    save({ keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil }: UsageRecord): void {
      save.run(keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil);
    },
  };
}
