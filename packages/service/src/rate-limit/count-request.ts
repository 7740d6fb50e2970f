import type { BanRules } from '../common/facts.ts';
import { DAY, dayOf, MINUTE, minuteOf } from '../common/time.ts';
import type { KeyRecord, UsageRecord } from '../storage/storage.ts';

const SECOND = 1_000;

/** Requests that a caller may send per minute and per UTC day. */
export type Quota = { readonly perMinute: number; readonly perDay: number };

/** The requests that a caller has used, and its ban. Times are Unix milliseconds; windows are numbered from the epoch. */
export type Usage = Omit<UsageRecord, 'keyId'> & {
  /** End (Unix seconds) of the window whose refusals are counted; 0 if there is none. */
  refusedWindow: number;
  /** When that window's first 429 was sent. */
  firstRefusedAt: number;
  /** Refusals in that window after the grace time. */
  refusals: number;
};

/** Nothing used, never banned. */
export function emptyUsage(now: number): Usage {
  return {
    minute: minuteOf(now),
    minuteUsed: 0,
    day: dayOf(now),
    dayUsed: 0,
    bans: 0,
    bannedUntil: 0,
    refusedWindow: 0,
    firstRefusedAt: 0,
    refusals: 0,
  };
}

/** Ends the ban of a caller, and starts the next one as the first. */
export function forgetBan(usage: Usage): void {
  usage.bans = 0;
  usage.bannedUntil = 0;
  usage.refusedWindow = 0;
}

/** The usage of a subject, added to the map if it is not there yet. */
export function usageFor(usages: UsageMap, subject: string, now: number): Usage {
  const known = usages.get(subject);
  if (known !== undefined) return known;
  const usage = emptyUsage(now);
  usages.set(subject, usage);
  return usage;
}

export interface UsageMap {
  get(subject: string): Usage | undefined;
  set(subject: string, usage: Usage): unknown;
}

/** The state of a window. */
export type WindowState = {
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  reset: number;
};

/** The state of a caller's quota. */
export type QuotaState = {
  minute: WindowState;
  day: WindowState;
  /** Unix milliseconds at which the last ban ends or ended; 0 if there was none. */
  bannedUntil: number;
};

/** Whether a request may proceed, and the numbers for its rate-limit headers. */
export type Verdict = {
  /** The window that the numbers describe. */
  window: 'minute' | 'day';
  limit: number;
  remaining: number;
  /** Unix seconds at which requests are allowed again, or the window ends. */
  reset: number;
  /** The other window. */
  other: WindowState;
  /** Unix milliseconds at which the last ban ends or ended; 0 if there was none. */
  bannedUntil: number;
  outcome: 'allowed' | 'limited' | 'banned';
  /** Whole seconds until `reset`, at least 1, for a refused request; 0 for an allowed one. */
  retryAfter: number;
  /** Whether this request started a ban. */
  banStarted: boolean;
};

/** The part of a verdict that cannot be computed from the usage afterwards. */
export type Decision = Pick<Verdict, 'outcome' | 'banStarted'>;

type Windows = Pick<Verdict, 'window' | 'limit' | 'remaining' | 'reset' | 'other'>;

/**
 * Counts one request and decides whether it may proceed. Updates `usage`.
 * Every request counts, refused ones too; a request during a ban does not extend the ban.
 * `count-request.lua` does the same in Redis, and `count_requests` in the migrations does it in PostgreSQL. The table
 * in `limit-cases-fixture.ts` specifies the rules, and all three run it.
 *
 * @param now Unix milliseconds
 * @param rules when requests after a 429 lead to a ban; undefined for callers that are never banned
 */
export function countRequest(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Verdict {
  return verdictOf(usage, quota, now, decide(usage, quota, now, rules));
}

function decide(usage: Usage, quota: Quota, now: number, rules: BanRules | undefined): Decision {
  rollWindows(usage, now);
  if (rules !== undefined) clampBan(usage, now, rules);
  usage.minuteUsed += 1;
  usage.dayUsed += 1;
  if (usage.bannedUntil > now) return { outcome: 'banned', banStarted: false };
  const isOverLimit = usage.minuteUsed > quota.perMinute || usage.dayUsed > quota.perDay;
  if (!isOverLimit) return { outcome: 'allowed', banStarted: false };
  if (rules !== undefined && isBanDue(usage, tighterFirst(usage, quota).reset, now, rules)) {
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
 * Only a later window starts at zero. If the clock is set back, the count stays, because otherwise each step back would grant
 * a second quota. After a step into the previous window, the later window stays current, because it begins again soon. After a
 * longer step, the count moves to the current window, so that a caller never waits for a time that only a wrong clock showed.
 */
function rollWindow(current: number, last: number, used: number): { window: number; used: number } {
  if (current > last) return { window: current, used: 0 };
  return { window: last - current > 1 ? current : last, used };
}

/** Shortens a ban that ends later than one that starts now would: the clock has been set back since it started. */
function clampBan(usage: Usage, now: number, rules: BanRules): void {
  usage.bannedUntil = Math.min(usage.bannedUntil, now + banLength(Math.max(1, usage.bans), rules));
}

/**
 * Counts a refusal. Requests that were already in flight when the first 429 was sent (the grace time) do not lead to a
 * ban.
 */
function isBanDue(usage: Usage, window: number, now: number, rules: BanRules): boolean {
  // If the clock was set back, the grace time starts again.
  if (usage.refusedWindow !== window || now < usage.firstRefusedAt) {
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
  const isLastForgotten = now - usage.bannedUntil >= rules.forgetAfterSeconds * SECOND;
  usage.bans = isLastForgotten ? 1 : usage.bans + 1;
  usage.bannedUntil = now + banLength(usage.bans, rules);
  usage.refusedWindow = 0;
}

/** The length in milliseconds of the n-th ban in a row. */
function banLength(bans: number, rules: BanRules): number {
  return Math.min(rules.firstSeconds * rules.factor ** (bans - 1), rules.maximumSeconds) * SECOND;
}

/** When the last ban began, in Unix milliseconds. */
export function banStart({ bans, bannedUntil }: Pick<Usage, 'bans' | 'bannedUntil'>, rules: BanRules): number {
  return bannedUntil - banLength(Math.max(1, bans), rules);
}

/**
 * Whether an operator has ended the last ban of a key, although a process may have saved it again before it noticed. Without rules, a
 * ban is from a time when the contract still had them.
 */
export function isForgiven(
  { unbannedAt }: Pick<KeyRecord, 'unbannedAt'>,
  ban: Pick<Usage, 'bans' | 'bannedUntil'>,
  rules: BanRules | null,
): boolean {
  if (ban.bannedUntil === 0) return false;
  return rules === null || (unbannedAt !== undefined && banStart(ban, rules) <= unbannedAt);
}

/**
 * The verdict on a request that has been counted.
 *
 * @param usage with this request counted
 */
export function verdictOf(usage: Usage, quota: Quota, now: number, { outcome, banStarted }: Decision): Verdict {
  const { bannedUntil } = usage;
  const windows = tighterFirst(usage, quota);
  if (outcome === 'allowed') return { ...windows, bannedUntil, outcome, retryAfter: 0, banStarted };
  if (outcome === 'limited') {
    return { ...windows, bannedUntil, outcome, retryAfter: secondsUntil(windows.reset, now), banStarted };
  }
  const windowEnd = windows.remaining === 0 ? windows.reset : 0;
  const reset = Math.max(Math.ceil(bannedUntil / SECOND), windowEnd);
  return { ...windows, remaining: 0, reset, bannedUntil, outcome, retryAfter: secondsUntil(reset, now), banStarted };
}

/** The state of the quota after a request that was allowed. */
export function quotaAfter({ window, limit, remaining, reset, other, bannedUntil }: Verdict): QuotaState {
  const tighter = { limit, remaining, reset };
  return window === 'minute'
    ? { minute: tighter, day: other, bannedUntil }
    : { minute: other, day: tighter, bannedUntil };
}

/** The state of the quota at `now`, without counting a request. */
export function quotaAt(usage: Usage, quota: Quota, now: number): QuotaState {
  const current = { ...usage };
  rollWindows(current, now);
  return { minute: minuteState(current, quota), day: dayState(current, quota), bannedUntil: usage.bannedUntil };
}

/** The window with fewer requests left, then the other one. If both have the same number left, the day is first, because it ends later. */
function tighterFirst(usage: Usage, quota: Quota): Windows {
  const minute = minuteState(usage, quota);
  const day = dayState(usage, quota);
  return day.remaining <= minute.remaining
    ? { window: 'day', limit: day.limit, remaining: day.remaining, reset: day.reset, other: minute }
    : { window: 'minute', limit: minute.limit, remaining: minute.remaining, reset: minute.reset, other: day };
}

function minuteState(usage: Usage, { perMinute }: Quota): WindowState {
  const remaining = Math.max(0, perMinute - usage.minuteUsed);
  return { limit: perMinute, remaining, reset: ((usage.minute + 1) * MINUTE) / SECOND };
}

function dayState(usage: Usage, { perDay }: Quota): WindowState {
  return { limit: perDay, remaining: Math.max(0, perDay - usage.dayUsed), reset: ((usage.day + 1) * DAY) / SECOND };
}

function secondsUntil(reset: number, now: number): number {
  return Math.max(1, Math.ceil(reset - now / SECOND));
}
