import { type BanRules, holdBan, isBanDue, startBan } from './bans.ts';
import type { Quota } from './quota.ts';
import { type Judgement, tighterWindow, type Verdict, verdictOf } from './verdict.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What a caller has used, and whether it is banned. Times are Unix milliseconds, windows are numbered from the epoch. */
export type Usage = {
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
  /** Bans in a row. */
  bans: number;
  /** End of the last ban; 0 when never banned. */
  bannedUntil: number;
  /** End (Unix seconds) of the window that is being refused; 0 when none. */
  refusedWindow: number;
  /** When that window's first 429 was given. */
  firstRefusedAt: number;
  /** Refusals in that window after the grace time. */
  refusals: number;
};

/** Nothing used, never banned. */
export function unused(now: number): Usage {
  return {
    minute: Math.floor(now / MINUTE),
    minuteUsed: 0,
    day: Math.floor(now / DAY),
    dayUsed: 0,
    bans: 0,
    bannedUntil: 0,
    refusedWindow: 0,
    firstRefusedAt: 0,
    refusals: 0,
  };
}

/** The number of the UTC day. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}

/**
 * Counts one request and says whether it may go on. Changes `usage`.
 * Each request counts, refused ones too; a request during a ban does not make the ban longer.
 * `shared/count-request.lua` does the same in Redis; a test holds the two together.
 *
 * @param rules when sending after a 429 leads to a ban; undefined for callers that are never banned
 */
export function countRequest(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Verdict {
  return verdictOf(usage, quota, now, judge(usage, quota, now, rules));
}

function judge(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Judgement {
  enterWindows(usage, now);
  if (rules !== undefined) holdBan(usage, now, rules);
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

function enterWindows(usage: Usage, now: number): void {
  const minute = enterWindow(Math.floor(now / MINUTE), usage.minute, usage.minuteUsed);
  usage.minute = minute.window;
  usage.minuteUsed = minute.used;
  const day = enterWindow(Math.floor(now / DAY), usage.day, usage.dayUsed);
  usage.day = day.window;
  usage.dayUsed = day.used;
}

/**
 * Only a later window starts anew. When the clock was set back, what was used stays used, or each step back would be a
 * second quota: a step into the window before stays in the later one, which is entered again soon; a longer one takes the
 * count along, so that nobody waits for a time that a wrong clock once showed.
 */
function enterWindow(current: number, last: number, used: number): { window: number; used: number } {
  if (current > last) return { window: current, used: 0 };
  return { window: last - current > 1 ? current : last, used };
}
