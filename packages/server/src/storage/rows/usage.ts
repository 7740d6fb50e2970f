import type { UsageRecord } from '../storage.ts';
import { integer, type Row, text } from '../values.ts';

/** What is read, in the order that the function below expects. */
export const usageColumns = 'key_id, minute, minute_used, day, day_used, bans, banned_until';

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
