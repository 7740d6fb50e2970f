import type { DatabaseSync } from 'node:sqlite';
import type { UsageRecord } from '../../storage.ts';
import { integer, type Row, text } from './values.ts';

const columns = 'key_id, minute, minute_used, day, day_used, bans, banned_until';

export const usageSql = {
  // A later day was counted by a clock that has been set back since. Reads the whole table, one row per key, once at start; indexes would cost at each of the many saves.
  load: `SELECT ${columns} FROM usage WHERE day >= ? OR banned_until > ?`,
  save: `INSERT OR REPLACE INTO usage (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
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

function toUsage(row: Row): UsageRecord {
  return {
    keyId: text(row[0]),
    minute: integer(row[1]),
    minuteUsed: integer(row[2]),
    day: integer(row[3]),
    dayUsed: integer(row[4]),
    bans: integer(row[5]),
    bannedUntil: integer(row[6]),
  };
}
