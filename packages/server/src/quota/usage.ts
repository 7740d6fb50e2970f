const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What a caller may use: requests per fixed minute and per UTC day. */
export type Quota = { readonly perMinute: number; readonly perDay: number };

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

/** Where a subject stands; from now on nothing used where it is not known yet. */
export function usageFor(usages: Map<string, Usage>, subject: string, now: number): Usage {
  const known = usages.get(subject);
  if (known !== undefined) return known;
  const usage = emptyUsage(now);
  usages.set(subject, usage);
  return usage;
}

/** The number of the minute since the Unix epoch. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE);
}

/** The number of the UTC day. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}
