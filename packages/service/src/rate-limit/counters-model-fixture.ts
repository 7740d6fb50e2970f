import { countRequest, type Usage } from './count-request.ts';
import type { Call, Count } from './counters.ts';

const unlimited = { perMinute: Number.MAX_SAFE_INTEGER, perDay: Number.MAX_SAFE_INTEGER };

/** Counts as `count_request` in PostgreSQL does: what a process knows counts if it was lost here, and what it counted alone is added. */
export function countAsDatabase(row: Usage, call: Call, now: number): Count {
  const { localUsage, certain, unsynced, rules } = call;
  const known = { ...localUsage, ...certain };
  for (const usage of [row, known]) {
    // Enters the windows of `now`.
    countRequest(usage, unlimited, now, undefined);
    usage.minuteUsed -= 1;
    usage.dayUsed -= 1;
  }
  const minute = known.minuteUsed === 0 ? 0 : Math.min(unsynced.minute, known.minuteUsed);
  const day = known.dayUsed === 0 ? 0 : Math.min(unsynced.day, known.dayUsed);
  row.minuteUsed = Math.max(row.minuteUsed, known.minuteUsed - minute) + minute;
  row.dayUsed = Math.max(row.dayUsed, known.dayUsed - day) + day;
  const { outcome, banStarted } = countRequest(row, call, now, rules);
  return { now, outcome, banStarted, usage: { ...row } };
}
