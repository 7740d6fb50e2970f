import { banRules } from '@animal-store/contract';
import type { Clock } from '../clock.ts';
import type { KeyRecord, UsageRecord, UsageStore } from '../storage/storage.ts';
import { addressSubject } from './address.ts';
import type { BanRules } from './bans.ts';
import { anonymousQuota, quotaOf } from './quota.ts';
import { countRequest, dayOf, type Usage, unused, type Verdict } from './usage.ts';

/** Counts requests and says which may go on. */
export interface Limiter {
  /** A request with a valid key. */
  countKey(key: KeyRecord): Promise<Verdict>;
  /** A request without one. */
  countAddress(address: string): Promise<Verdict>;
  /** Writes down what was counted since the last time. */
  flush(): Promise<void>;
}

/** Addresses remembered at once; past that the one seen first starts again. */
const MAX_ADDRESSES = 50_000;

/**
 * Counts in this process. Usage of keys is written down by `flush` and read again at start; a ban is on disk before
 * its first 429 is sent.
 */
export async function createLimiter(
  store: UsageStore,
  clock: Clock,
  rules: BanRules = banRules,
  maxAddresses = MAX_ADDRESSES,
): Promise<Limiter> {
  const keys = await loadUsage(store, clock(), rules);
  const addresses = new Map<string, Usage>();
  let oldest = addresses.keys();
  const changed = new Set<string>();
  const bansBeingSaved = new Map<string, Promise<void>>();
  let today = dayOf(clock());

  async function countKey(key: KeyRecord): Promise<Verdict> {
    const now = clock();
    forgetYesterday(now);
    const usage = entry(keys, key.id, now);
    const verdict = countRequest(usage, quotaOf(key), now, rules);
    changed.add(key.id);
    if (verdict.banStarted) bansBeingSaved.set(key.id, saveBan(key.id, usage));
    await bansBeingSaved.get(key.id);
    return verdict;
  }

  function saveBan(keyId: string, usage: Usage): Promise<void> {
    return store.save([recordOf(keyId, usage)]).finally(() => bansBeingSaved.delete(keyId));
  }

  async function countAddress(address: string): Promise<Verdict> {
    const now = clock();
    forgetYesterday(now);
    const usage = entry(addresses, addressSubject(address), now);
    if (addresses.size > maxAddresses) dropOldest();
    return countRequest(usage, anonymousQuota, now, undefined);
  }

  /** One walk for all of them: each new one would begin with the places of those that were dropped before. */
  function dropOldest(): void {
    const next = oldest.next();
    if (next.done) oldest = addresses.keys();
    else addresses.delete(next.value);
  }

  async function flush(): Promise<void> {
    const records = [...changed].flatMap((id) => {
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
  return new Map(records.map(({ keyId, ...used }) => [keyId, { ...unused(now), ...used }]));
}

function entry(usages: Map<string, Usage>, subject: string, now: number): Usage {
  const known = usages.get(subject);
  if (known !== undefined) return known;
  const usage = unused(now);
  usages.set(subject, usage);
  return usage;
}

function recordOf(keyId: string, usage: Usage): UsageRecord {
  const { minute, minuteUsed, day, dayUsed, bans, bannedUntil } = usage;
  return { keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil };
}
