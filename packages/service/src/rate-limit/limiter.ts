import { type Contract, firstPlan, hasPlans, hasQuotas, type LimitRules } from '../common/facts.ts';
import { type Clock, dayOf, systemClock } from '../common/time.ts';
import type { KeyRecord, Storage, UsageRecord, UsageStore } from '../storage/storage.ts';
import { type AddressOptions, countAddresses } from './addresses.ts';
import {
  countRequest,
  emptyUsage,
  forgetBan,
  isForgiven,
  type Quota,
  type Usage,
  usageFor,
  type Verdict,
} from './count-request.ts';
import {
  type CountedRequests,
  type Counters,
  type CountersOptions,
  guardCounters,
  type SharedCounters,
} from './counters.ts';
import { createPostgresCounters } from './postgres-counters.ts';

/** Counts requests and decides which may proceed. Resolves to undefined if the contract has no quota for the caller. */
export interface Limiter {
  /**
   * Counts a request with a valid key.
   *
   * @throws StorageUnavailableError if the key is banned and the ban cannot be saved, or if its request cannot be counted
   */
  countKey(key: CountedKey): Promise<Verdict | undefined>;
  /** Counts a request without a valid key. */
  countAddress(address: string): Promise<Verdict | undefined>;
  /** Saves the usage that has changed since the last time. */
  flush(): Promise<void>;
}

const uncounted = async () => undefined;

/** Counts in the memory of this process. */
const memoryCounters: Counters = {
  count: async ({ usage, quota, now, rules }) => countRequest(usage, quota, now, rules),
  endBan: async (_caller, usage) => forgetBan(usage),
};

/** The most keys to save in one transaction, so that other writes do not wait long. */
const SAVE_BATCH = 1_000;

/**
 * A limiter that keeps usage in memory. `flush` saves the usage of keys, and the next start loads it. Shared counters store the usage
 * themselves, so with them only bans are saved.
 *
 * A ban is announced only after it is on disk. Until then, each request of the banned key tries to save it, and rejects if that fails.
 */
export async function createLimiter(
  store: UsageStore,
  limits: LimitRules,
  clock: Clock,
  { maxAddresses, counters = memoryCounters }: Partial<AddressOptions> = {},
): Promise<Limiter> {
  const { plans, anonymousLimits, banRules: rules } = limits;
  const records = await store.load(dayOf(clock()), clock() - (rules?.forgetAfterSeconds ?? 0) * 1_000);
  const keys = new Map(records.map(({ keyId, ...used }) => [keyId, { ...emptyUsage(clock()), ...used }]));
  /** The end of the last ban of each key that is on disk. */
  const savedBans = new Map(records.map(({ keyId, bannedUntil }) => [keyId, bannedUntil]));
  const bansBeingSaved = new Map<string, Promise<void>>();
  const changed = new Set<string>();
  let today = dayOf(clock());

  async function countKey(key: CountedKey): Promise<Verdict> {
    const { id } = key;
    const now = clock();
    if (dayOf(now) !== today) startDay(now);
    const usage = usageFor(keys, id, now);
    if (isForgiven(key, usage, rules)) await endBan(id, usage);
    const request = { caller: `key:${id}`, usage, quota: quotaOf(key, plans), now, rules: rules ?? undefined };
    let verdict = await counters.count(request);
    // A process that has not read the key again yet may have told the shared counters of the ban.
    if (verdict.outcome === 'banned' && isForgiven(key, usage, rules)) {
      await endBan(id, usage);
      verdict = await counters.count(request);
    }
    // A new day may have begun meanwhile, and `startDay` may have deleted the usage. A ban in it must still be saved.
    const current = keys.get(id);
    if (current === undefined || current.bannedUntil < usage.bannedUntil) keys.set(id, usage);
    if (counters === memoryCounters) changed.add(id);
    if (verdict.outcome === 'banned') await saveBan(id);
    return verdict;
  }

  async function endBan(id: string, usage: Usage): Promise<void> {
    const { bannedUntil } = usage;
    savedBans.delete(id);
    await counters.endBan(`key:${id}`, usage);
    await store.endBan(id, bannedUntil);
  }

  /** Saves an unsaved ban. Concurrent requests of a key share a save; a ban that starts during it needs another. */
  async function saveBan(id: string): Promise<void> {
    const isSaved = () => (savedBans.get(id) ?? 0) >= (keys.get(id)?.bannedUntil ?? 0);
    while (!isSaved()) {
      // If this fails, the next flush tries again.
      changed.add(id);
      const saving = bansBeingSaved.get(id) ?? save([id]).finally(() => bansBeingSaved.delete(id));
      bansBeingSaved.set(id, saving);
      await saving;
    }
  }

  async function flush(): Promise<void> {
    const ids = [...changed];
    for (let start = 0; start < ids.length; start += SAVE_BATCH) await save(ids.slice(start, start + SAVE_BATCH));
  }

  async function save(ids: readonly string[]): Promise<void> {
    const records: UsageRecord[] = [];
    for (const id of ids) {
      const usage = keys.get(id);
      if (usage === undefined) forget(id);
      else records.push({ keyId: id, ...usage });
    }
    if (records.length === 0) return;
    await store.save(records);
    for (const { keyId, day, dayUsed, bannedUntil } of records) {
      const usage = keys.get(keyId);
      if (usage === undefined) continue;
      if (bannedUntil > 0) savedBans.set(keyId, bannedUntil);
      // The next flush saves what was counted during this save.
      if (usage.day === day && usage.dayUsed === dayUsed && usage.bannedUntil === bannedUntil) changed.delete(keyId);
    }
  }

  /** Deletes expired usage, so that memory does not grow with the number of keys ever seen. */
  function startDay(now: number): void {
    const isLater = dayOf(now) > today;
    today = dayOf(now);
    // The clock was set back: no day has ended.
    if (!isLater) return;
    const bannedSince = now - (rules?.forgetAfterSeconds ?? 0) * 1_000;
    for (const [id, usage] of keys) {
      if (usage.bannedUntil > bannedSince || usage.day >= today) continue;
      forget(id);
    }
  }

  function forget(id: string): void {
    keys.delete(id);
    changed.delete(id);
    savedBans.delete(id);
  }

  const countAddress =
    anonymousLimits === null ? uncounted : countAddresses(anonymousLimits, clock, { maxAddresses, counters });
  return { countKey: hasPlans(limits) ? countKey : uncounted, countAddress, flush };
}

export type OpenLimiter = {
  limiter: Limiter;
  /** The requests that shared counters have counted, and failed to count; undefined if this process counts on its own. */
  counted: CountedRequests | undefined;
  close: () => void;
};

export type LimiterParts = Pick<CountersOptions, 'log' | 'timeoutMs' | 'whenDown'> & {
  storage: Pick<Storage, 'usage' | 'sharedDatabase'>;
  limits: LimitRules;
  clock: Clock;
  /** Opens shared counters; undefined to count in the database, or in memory if it belongs to one machine. */
  openCounters: (() => Promise<SharedCounters>) | undefined;
};

/** Opens the limiter of a server, and asks its shared counters once, so that no request has to wait for their first connection. */
export async function openLimiter({
  storage,
  limits,
  clock,
  openCounters,
  ...options
}: LimiterParts): Promise<OpenLimiter> {
  const { usage, sharedDatabase } = storage;
  const openOwn = sharedDatabase && (async () => createPostgresCounters(sharedDatabase, options.timeoutMs));
  const open = hasQuotas(limits) ? (openCounters ?? openOwn) : undefined;
  if (open === undefined) {
    return { limiter: await createLimiter(usage, limits, clock), counted: undefined, close: () => {} };
  }
  const shared = await open();
  try {
    const counters = guardCounters(shared, { ...options, usesLocalClock: clock !== systemClock });
    await counters.endBan('probe', emptyUsage(0));
    return {
      limiter: await createLimiter(usage, limits, clock, { counters }),
      counted: counters.requests,
      close: shared.close,
    };
  } catch (error) {
    shared.close();
    throw error;
  }
}

/** The fields of an API key that its quota depends on. */
export type CountedKey = Pick<KeyRecord, 'id' | 'plan' | 'perMinute' | 'perDay' | 'unbannedAt'>;

/** The plan of a key. A key that was created before the contract had plans has the first one. */
export function planNameOf({ plan }: { plan: string }, plans: Contract['plans']): string {
  return plan === '' ? (firstPlan(plans) ?? '') : plan;
}

/** The quota of a key: that of its plan, or the key's own limits if the plan has none. */
export function quotaOf(key: CountedKey, plans: Contract['plans']): Quota {
  const name = planNameOf(key, plans);
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
  if (plan === undefined) throw new Error(`The key ${key.id} is on plan ${name}, which the contract does not have.`);
  if (!('custom' in plan)) return plan;
  if (key.perMinute === undefined || key.perDay === undefined) {
    throw new Error(`The key ${key.id} is on plan ${name} and has no limits of its own.`);
  }
  return { perMinute: key.perMinute, perDay: key.perDay };
}
