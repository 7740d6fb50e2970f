import { type BanRules, type Contract, firstPlan, hasPlans, hasQuotas, type LimitRules } from '../common/contract.ts';
import { type Clock, dayOf } from '../common/time.ts';
import type { KeyRecord, UsageRecord, UsageStore } from '../storage/storage.ts';
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
import type { CountingStrategy } from './counters.ts';

/** Counts requests and decides which may proceed. Resolves to undefined if the contract has no quota for the caller. */
export interface Limiter {
  /**
   * Counts a request with a valid key.
   *
   * @throws StorageUnavailableError if the key is banned and the ban cannot be saved
   */
  countKey(key: CountedKey): Promise<Verdict | undefined>;
  /** Counts a request without a valid key. */
  countAddress(address: string): Promise<Verdict | undefined>;
  /** Saves the usage that has changed since the last time, and gives back what was counted in advance. `isLast` if no request follows. */
  flush(isLast?: boolean): Promise<void>;
}

const uncounted = async () => undefined;

/** The limiter of a contract without quotas. */
const withoutQuotas: Limiter = { countKey: uncounted, countAddress: uncounted, flush: async () => {} };

/** Counts in the memory of this process. */
export const localCounting: CountingStrategy = {
  isShared: false,
  count: async ({ usage, quota, now, rules }) => countRequest(usage, quota, now, rules),
  endBan: async (_callerId, usage) => forgetBan(usage),
};

/** The most keys to save in one transaction, so that other writes do not wait long. */
const SAVE_BATCH = 1_000;

/**
 * A limiter that keeps usage in memory. `flush` saves the usage of keys, and the next start loads it. With shared counting
 * only bans are saved, because the shared counters store the usage and no process knows all of it.
 *
 * The process that started a ban announces it only after it is on disk. Until then, each request of the banned key tries to save it, and
 * rejects if that fails.
 */
export async function createLimiter(
  store: UsageStore,
  limits: LimitRules,
  clock: Clock,
  { maxAddresses, counting = localCounting }: Partial<AddressOptions> = {},
): Promise<Limiter> {
  if (!hasQuotas(limits)) return withoutQuotas;
  const { plans, anonymousLimits, banRules: rules } = limits;
  const keys = await loadUsage(store, clock(), rules);
  const changed = new Set<string>();
  /** Bans that are not on disk yet, and whether this process started them. */
  const unsavedBans = new Map<string, { isOwn: boolean }>();
  const bansBeingSaved = new Map<string, Promise<void>>();
  let today = dayOf(clock());

  async function countKey(key: CountedKey): Promise<Verdict> {
    const { id } = key;
    const now = clock();
    if (dayOf(now) !== today) startDay(now);
    const usage = usageFor(keys, id, now);
    if (isForgiven(key, usage, rules)) await endBan(id, usage);
    const { bannedUntil } = usage;
    const request = { callerId: `key:${id}`, usage, quota: quotaOf(key, plans), now, rules: rules ?? undefined };
    let verdict = await counting.count(request);
    // A process that has not read the key again yet may have handed the ban over to the shared counters.
    if (verdict.outcome === 'banned' && isForgiven(key, usage, rules)) {
      await endBan(id, usage);
      verdict = await counting.count(request);
    }
    // A new day may have begun meanwhile, and `startDay` may have deleted the usage. A ban in it must still be saved.
    const current = keys.get(id);
    if (current === undefined || current.bannedUntil < usage.bannedUntil) keys.set(id, usage);
    if (!counting.isShared || usage.bannedUntil !== bannedUntil) changed.add(id);
    // If another process started the ban, this one cannot know whether it is saved yet.
    if (usage.bannedUntil > bannedUntil) {
      unsavedBans.set(id, { isOwn: verdict.banStarted || unsavedBans.get(id)?.isOwn === true });
    }
    if (verdict.outcome === 'banned') await saveBan(id);
    return verdict;
  }

  async function endBan(id: string, usage: Usage): Promise<void> {
    const { bannedUntil } = usage;
    unsavedBans.delete(id);
    changed.add(id);
    await counting.endBan(`key:${id}`, usage);
    await store.endBan(id, bannedUntil);
  }

  /** Saves an unsaved ban. Concurrent requests of a key share a save; a ban that starts during it needs another. */
  async function saveBan(id: string): Promise<void> {
    for (let ban = unsavedBans.get(id); ban !== undefined; ban = unsavedBans.get(id)) {
      const saving = bansBeingSaved.get(id) ?? save([id]).finally(() => bansBeingSaved.delete(id));
      bansBeingSaved.set(id, saving);
      try {
        await saving;
      } catch (error) {
        // Another process is responsible for the bans that it started; this one tries again with the next request or flush.
        if (ban.isOwn) throw error;
        return;
      }
    }
  }

  async function flush(isLast = false): Promise<void> {
    if (counting.giveBack !== undefined) await counting.giveBack(clock(), isLast);
    const ids = [...changed];
    for (let start = 0; start < ids.length; start += SAVE_BATCH) await save(ids.slice(start, start + SAVE_BATCH));
  }

  async function save(ids: readonly string[]): Promise<void> {
    const records: UsageRecord[] = [];
    for (const id of ids) {
      const usage = keys.get(id);
      if (usage === undefined) forget(id);
      else records.push(recordOf(id, usage));
    }
    if (records.length === 0) return;
    await store.save(records);
    for (const { keyId, day, dayUsed, bannedUntil } of records) {
      const usage = keys.get(keyId);
      if (usage === undefined) continue;
      if (usage.bannedUntil <= bannedUntil) unsavedBans.delete(keyId);
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
    unsavedBans.delete(id);
  }

  const countAddress =
    anonymousLimits === null ? uncounted : countAddresses(anonymousLimits, clock, { maxAddresses, counting });
  return { countKey: hasPlans(limits) ? countKey : uncounted, countAddress, flush };
}

async function loadUsage(store: UsageStore, now: number, rules: BanRules | null): Promise<Map<string, Usage>> {
  const records = await store.load(dayOf(now), now - (rules?.forgetAfterSeconds ?? 0) * 1_000);
  return new Map(records.map(({ keyId, ...used }) => [keyId, { ...emptyUsage(now), ...used }]));
}

function recordOf(keyId: string, usage: Usage): UsageRecord {
  const { minute, minuteUsed, day, dayUsed, bans, bannedUntil } = usage;
  return { keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil };
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
