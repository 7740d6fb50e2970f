import type { banRules } from '@animal-store/contract';
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

export type BanRules = { [Rule in keyof typeof banRules]: number };

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
  const minute = Math.floor(now / MINUTE);
  const day = Math.floor(now / DAY);
  if (minute !== usage.minute) {
    usage.minute = minute;
    usage.minuteUsed = 0;
  }
  if (day !== usage.day) {
    usage.day = day;
    usage.dayUsed = 0;
  }
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

/** Whether this refusal is one too many. What was under way when the first 429 was given is not held against anybody. */
function isBanDue(usage: Usage, window: number, now: number, rules: BanRules): boolean {
  if (usage.refusedWindow !== window) {
    usage.refusedWindow = window;
    usage.firstRefusedAt = now;
    usage.refusals = 0;
    return false;
  }
  if (now - usage.firstRefusedAt < rules.graceSeconds * SECOND) return false;
  usage.refusals += 1;
  return usage.refusals > rules.toleratedRefusals;
}

function startBan(usage: Usage, now: number, rules: BanRules): void {
  const forgotten = now - usage.bannedUntil >= rules.forgetAfterSeconds * SECOND;
  usage.bans = forgotten ? 1 : usage.bans + 1;
  const seconds = Math.min(rules.firstSeconds * rules.factor ** (usage.bans - 1), rules.maximumSeconds);
  usage.bannedUntil = now + seconds * SECOND;
  usage.refusedWindow = 0;
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
