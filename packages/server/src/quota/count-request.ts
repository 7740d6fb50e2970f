import { type BanRules, clampBan, isBanDue, startBan } from './bans.ts';
import { dayOf, minuteOf, type Quota, type Usage } from './usage.ts';
import { type Judgement, tighterWindow, type Verdict, verdictOf } from './verdict.ts';

/**
 * Counts one request and says whether it may go on. Changes `usage`.
 * Each request counts, refused ones too; a request during a ban does not make the ban longer.
 * `shared/redis/count-request.lua` does the same in Redis, and `count_request` in the migrations in PostgreSQL; a test holds
 * them together.
 *
 * @param rules when sending after a 429 leads to a ban; undefined for callers that are never banned
 */
export function countRequest(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Verdict {
  return verdictOf(usage, quota, now, judge(usage, quota, now, rules));
}

function judge(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Judgement {
  rollWindows(usage, now);
  if (rules !== undefined) clampBan(usage, now, rules);
  usage.minuteUsed += 1;
  usage.dayUsed += 1;
  if (usage.bannedUntil > now) return { outcome: 'banned', banStarted: false };
  const over = usage.minuteUsed > quota.perMinute || usage.dayUsed > quota.perDay;
  if (!over) return { outcome: 'allowed', banStarted: false };
  if (rules !== undefined && isBanDue(usage, tighterWindow(usage, quota).reset, now, rules)) {
    startBan(usage, now, rules);
    return { outcome: 'banned', banStarted: true };
  }
  return { outcome: 'limited', banStarted: false };
}

function rollWindows(usage: Usage, now: number): void {
  const minute = rollWindow(minuteOf(now), usage.minute, usage.minuteUsed);
  usage.minute = minute.window;
  usage.minuteUsed = minute.used;
  const day = rollWindow(dayOf(now), usage.day, usage.dayUsed);
  usage.day = day.window;
  usage.dayUsed = day.used;
}

/**
 * Only a later window starts anew. When the clock was set back, what was used stays used, or each step back would be a
 * second quota: a step into the window before stays in the later one, which is entered again soon; a longer one takes the
 * count along, so that nobody waits for a time that a wrong clock once showed.
 */
function rollWindow(current: number, last: number, used: number): { window: number; used: number } {
  if (current > last) return { window: current, used: 0 };
  return { window: last - current > 1 ? current : last, used };
}
