import { type BanRules, holdBan, isBanDue, startBan } from './bans.ts';
import type { Quota } from './quota.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
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

/** What the caller is told: the three headers, and whether the request may go on. */
export type Verdict = {
  /** The window that the numbers speak of. */
  window: 'minute' | 'day';
  limit: number;
  remaining: number;
  /** Unix seconds at which requests are allowed again, or the window ends. */
  reset: number;
  outcome: 'allowed' | 'limited' | 'banned';
  /** Whole seconds until then, at least 1. For a refused request. */
  retryAfter: number;
  /** Whether this request started a ban. */
  banStarted: boolean;
};

type Window = Pick<Verdict, 'window' | 'limit' | 'remaining' | 'reset'>;

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
 *
 * @param rules when sending after a 429 leads to a ban; undefined for callers that are never banned
 */
export function countRequest(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Verdict {
  enterWindows(usage, now);
  if (rules !== undefined) holdBan(usage, now, rules);
  usage.minuteUsed += 1;
  usage.dayUsed += 1;
  const window = tighterWindow(usage, quota);
  if (usage.bannedUntil > now) return banned(usage, window, now, false);
  const over = usage.minuteUsed > quota.perMinute || usage.dayUsed > quota.perDay;
  if (!over) return { ...window, outcome: 'allowed', retryAfter: 0, banStarted: false };
  if (rules !== undefined && isBanDue(usage, window.reset, now, rules)) {
    startBan(usage, now, rules);
    return banned(usage, window, now, true);
  }
  return { ...window, outcome: 'limited', retryAfter: secondsUntil(window.reset, now), banStarted: false };
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

/** The window with fewer requests left; where both have the same left, the one that ends later, since it holds longer. */
function tighterWindow(usage: Usage, quota: Quota): Window {
  const minuteLeft = Math.max(0, quota.perMinute - usage.minuteUsed);
  const dayLeft = Math.max(0, quota.perDay - usage.dayUsed);
  if (dayLeft <= minuteLeft) {
    return { window: 'day', limit: quota.perDay, remaining: dayLeft, reset: ((usage.day + 1) * DAY) / SECOND };
  }
  return {
    window: 'minute',
    limit: quota.perMinute,
    remaining: minuteLeft,
    reset: ((usage.minute + 1) * MINUTE) / SECOND,
  };
}

function banned(usage: Usage, window: Window, now: number, banStarted: boolean): Verdict {
  const windowEnd = window.remaining === 0 ? window.reset : 0;
  const reset = Math.max(Math.ceil(usage.bannedUntil / SECOND), windowEnd);
  return {
    ...window,
    remaining: 0,
    reset,
    outcome: 'banned',
    retryAfter: secondsUntil(reset, now),
    banStarted,
  };
}

function secondsUntil(reset: number, now: number): number {
  return Math.max(1, Math.ceil(reset - now / SECOND));
}
