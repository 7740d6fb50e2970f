import { anonymousLimits, type Plan, plans } from '@animal-store/contract';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Requests that a caller may send per minute and per UTC day. */
export type Quota = { readonly perMinute: number; readonly perDay: number };

/** The fields of an API key that its quota depends on. */
export type CountedKey = { id: string; plan: Plan; perMinute?: number | undefined; perDay?: number | undefined };

/** The quota of requests without a valid key. */
export const anonymousQuota: Quota = anonymousLimits;

/** The quota of a key: that of its plan, or the key's own limits if the plan has none. */
export function quotaOf(key: CountedKey): Quota {
  const plan = plans[key.plan];
  if (!('custom' in plan)) return plan;
  if (key.perMinute === undefined || key.perDay === undefined) {
    throw new Error(`The key ${key.id} is on plan ${key.plan} and has no limits of its own.`);
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}

/** What a caller has used, and whether it is banned. Times are Unix milliseconds; windows are numbered from the epoch. */
export type Usage = {
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
  /** Bans in a row. */
  bans: number;
  /** End of the last ban; 0 if there was none. */
  bannedUntil: number;
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

/** The number of the minute since the Unix epoch. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE);
}

/** The number of the UTC day. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}
