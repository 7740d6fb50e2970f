import type { Quota, Usage } from './usage.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

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

/** What counting a request decides. */
export type Judgement = Pick<Verdict, 'outcome' | 'banStarted'>;

type Window = Pick<Verdict, 'window' | 'limit' | 'remaining' | 'reset'>;

/**
 * What a caller is told about a request that was counted.
 *
 * @param usage after the counting
 */
export function verdictOf(usage: Usage, quota: Quota, now: number, { outcome, banStarted }: Judgement): Verdict {
  const window = tighterWindow(usage, quota);
  if (outcome === 'banned') return banned(usage, window, now, banStarted);
  const retryAfter = outcome === 'allowed' ? 0 : secondsUntil(window.reset, now);
  return { ...window, outcome, retryAfter, banStarted };
}

/** The window with fewer requests left; where both have the same left, the one that ends later, since it holds longer. */
export function tighterWindow(usage: Usage, quota: Quota): Window {
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
