import type { Contract } from '../common/contract.ts';

/** In milliseconds. */
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** Requests that a caller may send per minute and per UTC day. */
export type Quota = { readonly perMinute: number; readonly perDay: number };

/** The fields of an API key that its quota depends on. */
export type CountedKey = {
  /** Public name of the key, `key_` and 16 characters. */
  id: string;
  plan: string;
  /** The key's own limits; only keys of a plan with `custom: true` have them. */
  perMinute?: number | undefined;
  perDay?: number | undefined;
  /** Bans that began before this time are void. */
  unbannedAt?: number | undefined;
};

/** The quota of a key: that of its plan, or the key's own limits if the plan has none. */
export function quotaOf(key: CountedKey, plans: Contract['plans']): Quota {
  const plan = Object.hasOwn(plans, key.plan) ? plans[key.plan] : undefined;
  if (plan === undefined)
    throw new Error(`The key ${key.id} is on plan ${key.plan}, which the contract does not have.`);
  if (!('custom' in plan)) return plan;
  if (key.perMinute === undefined || key.perDay === undefined) {
    throw new Error(`The key ${key.id} is on plan ${key.plan} and has no limits of its own.`);
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}

/** The requests that a caller has used, and its ban. Times are Unix milliseconds; windows are numbered from the epoch. */
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

/** The number of the minute since the Unix epoch. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE);
}

/** The number of the UTC day. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY);
}

/** Days for which the calls of each key are kept, today included: about 6 KB for a key that is used every day. */
export const keptDays = 100;

/** The most operations that run at once in this process. They bound every queue behind them, such as that of the storage. */
export const concurrency = {
  /** For each API key, and for all callers without one together. At 20 ms each, a key gets 12,500 responses per second. */
  perKey: 250,
  /** A writing operation starts only below this number. */
  writes: 500,
  /** A reading operation starts only below this number, so that reads continue while writes wait. */
  total: 1_000,
};

/** Counts the operations that run, against `concurrency` (decision 44). */
export class ConcurrencyLimit {
  #running = 0;
  readonly #byKey = new Map<string, number>();
  /** The number of operations that were refused. */
  readonly refused = { key: 0, process: 0 };

  get running(): number {
    return this.#running;
  }

  /** Counts an operation that is about to run, and returns why it may not: it is then not counted. The caller calls `leave` later. */
  enter(keyId: string, isWrite: boolean): 'key' | 'process' | undefined {
    const ofKey = this.#byKey.get(keyId) ?? 0;
    if (ofKey >= concurrency.perKey) return this.#refuse('key');
    if (this.#running >= (isWrite ? concurrency.writes : concurrency.total)) return this.#refuse('process');
    this.#running += 1;
    this.#byKey.set(keyId, ofKey + 1);
    return undefined;
  }

  #refuse(by: 'key' | 'process'): 'key' | 'process' {
    this.refused[by] += 1;
    return by;
  }

  leave(keyId: string): void {
    this.#running -= 1;
    const left = (this.#byKey.get(keyId) ?? 1) - 1;
    if (left === 0) this.#byKey.delete(keyId);
    else this.#byKey.set(keyId, left);
  }
}
