import { banRules } from '@animal-store/contract';
import { BoundedMap } from '../common/bounded-map.ts';
import type { Clock } from '../common/clock.ts';
import { type MaybePromise, mapMaybe } from '../common/maybe-promise.ts';
import type { BanRules } from '../quota/bans.ts';
import { anonymousQuota, type CountedKey, quotaOf } from '../quota/quota.ts';
import { dayOf, emptyUsage, type Usage, usageFor } from '../quota/usage.ts';
import type { Verdict } from '../quota/verdict.ts';
import type { UsageRecord, UsageStore } from '../storage/storage.ts';
import { addressSubject } from './address.ts';
import { type Counting, countHere } from './counting.ts';

/** Counts requests and says which may go on. */
export interface Limiter {
  /** A request with a valid key. */
  countKey(key: CountedKey): MaybePromise<Verdict>;
  /** A request without one. */
  countAddress(address: string): MaybePromise<Verdict>;
  /** Writes down what was counted since the last time. */
  flush(): Promise<void>;
}

/** Addresses remembered at once; past that the one seen first starts again. */
const MAX_ADDRESSES = 50_000;

/** Keys whose usage is written down at once. */
const PIECE = 1_000;

export type LimiterOptions = {
  rules?: BanRules;
  maxAddresses?: number;
  /** Who counts: this process, unless it is said. */
  counting?: Counting;
};

/**
 * Remembers where callers stand. Usage of keys is written down by `flush` and read again at start; a ban is on disk before
 * its first 429 is sent. Where others count the same callers, only bans are written down: one process does not know the
 * whole of the rest, and who counts together keeps it.
 */
export async function createLimiter(
  store: UsageStore,
  clock: Clock,
  { rules = banRules, maxAddresses = MAX_ADDRESSES, counting = countHere }: LimiterOptions = {},
): Promise<Limiter> {
  const keys = await loadUsage(store, clock(), rules);
  const addresses = new BoundedMap<string, Usage>(maxAddresses);
  const changed = new Set<string>();
  const bansBeingSaved = new Map<string, Promise<void>>();
  let today = dayOf(clock());

  function countKey(key: CountedKey): MaybePromise<Verdict> {
    const now = clock();
    forgetYesterday(now);
    const usage = usageFor(keys, key.id, now);
    const { bannedUntil } = usage;
    const counted = counting.count({ caller: `key:${key.id}`, usage, quota: quotaOf(key), now, rules });
    return mapMaybe(counted, (verdict) => {
      if (!counting.isShared || usage.bannedUntil !== bannedUntil) changed.add(key.id);
      if (verdict.banStarted) bansBeingSaved.set(key.id, saveBan(key.id, usage));
      return bansBeingSaved.get(key.id)?.then(() => verdict) ?? verdict;
    });
  }

  function saveBan(keyId: string, usage: Usage): Promise<void> {
    return store.save([recordOf(keyId, usage)]).finally(() => bansBeingSaved.delete(keyId));
  }

  function countAddress(address: string): MaybePromise<Verdict> {
    const now = clock();
    forgetYesterday(now);
    const subject = addressSubject(address);
    const usage = usageFor(addresses, subject, now);
    return counting.count({ caller: `address:${subject}`, usage, quota: anonymousQuota, now, rules: undefined });
  }

  async function flush(): Promise<void> {
    const ids = [...changed];
    // In pieces, so that nothing else that is to be written waits for all of them.
    for (let start = 0; start < ids.length; start += PIECE) await saveUsageOf(ids.slice(start, start + PIECE));
  }

  async function saveUsageOf(ids: readonly string[]): Promise<void> {
    const records = ids.flatMap((id) => {
      const usage = keys.get(id);
      return usage === undefined ? [] : [recordOf(id, usage)];
    });
    if (records.length === 0) return;
    await store.save(records);
    // What was counted while saving stays marked: its numbers differ from the saved ones.
    for (const record of records) {
      const usage = keys.get(record.keyId);
      if (usage?.day === record.day && usage.dayUsed === record.dayUsed) changed.delete(record.keyId);
    }
  }

  /** Once a day: what was used yesterday no longer counts, so memory stays flat in keys and addresses ever seen. */
  function forgetYesterday(now: number): void {
    const isLater = dayOf(now) > today;
    // A clock that is set back makes nobody's count a thing of yesterday.
    today = dayOf(now);
    if (!isLater) return;
    for (const [subject, usage] of addresses) if (usage.day < today) addresses.delete(subject);
    const bannedSince = now - rules.forgetAfterSeconds * 1_000;
    for (const [id, usage] of keys) {
      if (usage.bannedUntil > bannedSince || usage.day >= today) continue;
      keys.delete(id);
      changed.delete(id);
    }
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
