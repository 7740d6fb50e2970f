import type { UsageRecord } from '../storage.ts';
import { integer, type Row, text } from '../values.ts';

/** What is read, in the order that the function below expects. */
export const usageColumns = 'key_id, minute, minute_used, day, day_used, bans, banned_until';

/**
 * Whether a record that is to be saved knows an earlier ban only: several processes write down a ban that they hear of, and
 * one of them may be late. An end alone says nothing, for that of a ban comes nearer when the clock is set back.
 */
export const knowsOlderBan = '(usage.bans > excluded.bans AND usage.banned_until > excluded.banned_until)';

export function toUsage(row: Row): UsageRecord {
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
