import type { Quota, Usage } from './usage.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Whether a request may proceed, and the numbers for its rate-limit headers. */
export type Verdict = {
  /** The window that the numbers describe. */
  window: 'minute' | 'day';
  limit: number;
  remaining: number;
  /** Unix seconds at which requests are allowed again, or the window ends. */
  reset: number;
  outcome: 'allowed' | 'limited' | 'banned';
  /** Whole seconds until `reset`, at least 1, for a refused request; 0 for an allowed one. */
  retryAfter: number;
  /** Whether this request started a ban. */
  banStarted: boolean;
};

/** The part of a verdict that the counting decides; the rest follows from the usage. */
export type Decision = Pick<Verdict, 'outcome' | 'banStarted'>;

type Window = Pick<Verdict, 'window' | 'limit' | 'remaining' | 'reset'>;

/**
 * The verdict on a request that has been counted.
 *
 * @param usage with this request counted
 */
export function verdictOf(usage: Usage, quota: Quota, now: number, { outcome, banStarted }: Decision): Verdict {
  const window = tighterWindow(usage, quota);
  if (outcome === 'allowed') return { ...window, outcome, retryAfter: 0, banStarted };
  if (outcome === 'limited') return { ...window, outcome, retryAfter: secondsUntil(window.reset, now), banStarted };
  const windowEnd = window.remaining === 0 ? window.reset : 0;
  const reset = Math.max(Math.ceil(usage.bannedUntil / SECOND), windowEnd);
  return { ...window, remaining: 0, reset, outcome, retryAfter: secondsUntil(reset, now), banStarted };
}

/** The window with fewer requests left. If both have the same number left, the day, because it ends later. */
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

function secondsUntil(reset: number, now: number): number {
  return Math.max(1, Math.ceil(reset - now / SECOND));
}
