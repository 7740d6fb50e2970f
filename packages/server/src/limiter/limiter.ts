import { banRules } from '@animal-store/contract';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/time.ts';
import type { Verdict } from '../quota/count-request.ts';
import { type BanRules, countRequest } from '../quota/count-request.ts';
import {
  anonymousQuota,
  type CountedKey,
  dayOf,
  emptyUsage,
  type Quota,
  quotaOf,
  type Usage,
  usageFor,
} from '../quota/usage.ts';
import type { UsageRecord, UsageStore } from '../storage/storage.ts';
import { addressSubject } from './address.ts';

/** Counts requests and decides which may proceed. */
export interface Limiter {
  /**
   * Counts a request with a valid key.
   *
   * @throws StorageUnavailableError if the key is banned and the ban cannot be saved
   */
  countKey(key: CountedKey): Promise<Verdict>;
  /** Counts a request without a valid key. */
  countAddress(address: string): Promise<Verdict>;
  /** Saves the usage that has changed since the last time. */
  flush(): Promise<void>;
}

/** A request to be counted, in this process or in shared counters. */
export type RequestToCount = {
  /** `key:` or `address:`, and the ID of the key or the address. */
  callerId: string;
  /** The caller's usage as far as this process knows it; the counting updates it. */
  usage: Usage;
  quota: Quota;
  /** Unix milliseconds by the clock of this process. */
  now: number;
  /** Undefined for callers that are never banned. */
  rules: BanRules | undefined;
};

/** Where requests are counted. */
export interface CountingStrategy {
  /** Whether other processes count the same callers, so that this process does not know all of their usage. */
  readonly isShared: boolean;
  /** Counts one request. Does not reject if shared counters are away. */
  count(request: RequestToCount): Promise<Verdict>;
}

/** Counts in the memory of this process. */
const localCounting: CountingStrategy = {
  isShared: false,
  count: async ({ usage, quota, now, rules }) => countRequest(usage, quota, now, rules),
};

/** The most addresses whose usage is kept; the least recently seen makes room for a new one. */
const MAX_ADDRESSES = 50_000;

/** The most keys whose usage is saved at once, so that other writes do not wait for all of them. */
const SAVE_BATCH = 1_000;

export type LimiterOptions = {
  rules?: BanRules;
  maxAddresses?: number;
  /** The memory of this process by default. */
  counting?: CountingStrategy;
};

/**
 * A limiter that keeps usage in memory. `flush` saves the usage of keys, and a start loads it again. With shared counting only
 * bans are saved: a single process does not know all of the usage, and the shared counters keep it.
 *
 * A key is told of its ban only once the ban is on disk. While it cannot be saved, each request of the key during the ban tries
 * again, and rejects if that fails.
 */
export async function createLimiter(
  store: UsageStore,
  clock: Clock,
  { rules = banRules, maxAddresses = MAX_ADDRESSES, counting = localCounting }: LimiterOptions = {},
): Promise<Limiter> {
  const keys = await loadUsage(store, clock(), rules);
  const addresses = new LRUCache<string, Usage>({ max: maxAddresses });
  const changed = new Set<string>();
  const unsavedBans = new Set<string>();
  const bansBeingSaved = new Map<string, Promise<void>>();
  let today = dayOf(clock());

  async function countKey(key: CountedKey): Promise<Verdict> {
    const { id } = key;
    const now = clock();
    if (dayOf(now) !== today) startDay(now);
    const usage = usageFor(keys, id, now);
    const { bannedUntil } = usage;
    const verdict = await counting.count({ callerId: `key:${id}`, usage, quota: quotaOf(key), now, rules });
    // A new day may have begun meanwhile, and `startDay` may have deleted the usage. A ban in it must still be saved.
    const current = keys.get(id);
    if (current === undefined || current.bannedUntil < usage.bannedUntil) keys.set(id, usage);
    if (!counting.isShared || usage.bannedUntil !== bannedUntil) changed.add(id);
    // Another process may have started it: this one cannot know whether that process has saved it yet.
    if (usage.bannedUntil > bannedUntil) unsavedBans.add(id);
    if (verdict.outcome === 'banned') await saveBan(id);
    return verdict;
  }

  /** Saves a ban that is not saved yet. Requests of one key share a save; a ban that starts during a save needs another. */
  async function saveBan(id: string): Promise<void> {
    while (unsavedBans.has(id)) {
      const saving = bansBeingSaved.get(id) ?? save([id]).finally(() => bansBeingSaved.delete(id));
      bansBeingSaved.set(id, saving);
      await saving;
    }
  }

  async function countAddress(address: string): Promise<Verdict> {
    const now = clock();
    const subject = addressSubject(address);
    const usage = usageFor(addresses, subject, now);
    return counting.count({ callerId: `address:${subject}`, usage, quota: anonymousQuota, now, rules: undefined });
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
      else records.push(recordOf(id, usage));
    }
    if (records.length === 0) return;
    await store.save(records);
    for (const { keyId, day, dayUsed, bannedUntil } of records) {
      const usage = keys.get(keyId);
      if (usage === undefined) continue;
      if (usage.bannedUntil <= bannedUntil) unsavedBans.delete(keyId);
      // Requests that were counted during the save are saved with the next flush.
      if (usage.day === day && usage.dayUsed === dayUsed && usage.bannedUntil === bannedUntil) changed.delete(keyId);
    }
  }

  /** Deletes the usage of keys that no longer counts, so that memory does not grow with all keys ever seen. */
  function startDay(now: number): void {
    const isLater = dayOf(now) > today;
    today = dayOf(now);
    // A clock that is set back ends no day.
    if (!isLater) return;
    const bannedSince = now - rules.forgetAfterSeconds * 1_000;
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

  return { countKey, countAddress, flush };
}

async function loadUsage(store: UsageStore, now: number, rules: BanRules): Promise<Map<string, Usage>> {
  const records = await store.load(dayOf(now), now - rules.forgetAfterSeconds * 1_000);
  return new Map(records.map(({ keyId, ...used }) => [keyId, { ...emptyUsage(now), ...used }]));
}

function recordOf(keyId: string, usage: Usage): UsageRecord {
  const { minute, minuteUsed, day, dayUsed, bans, bannedUntil } = usage;
  return { keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil };
}
