import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { BanRules, Contract } from '../common/contract.ts';
import type { Clock } from '../common/time.ts';
import { countRequest, isForgiven, quotaAt, type Verdict } from '../quota/count-request.ts';
import {
  type CountedKey,
  dayOf,
  emptyUsage,
  forgetBan,
  type Quota,
  quotaOf,
  type Usage,
  usageFor,
} from '../quota/usage.ts';
import type { UsageRecord, UsageStore } from '../storage/storage.ts';

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

/** Counts requests, in this process or in shared counters. */
export interface CountingStrategy {
  /** Whether other processes count the same callers, so that this process knows only part of their usage. */
  readonly isShared: boolean;
  /** Counts one request. Does not reject if shared counters are unavailable. */
  count(request: RequestToCount): Promise<Verdict>;
  /** Ends the ban of a caller. */
  endBan(callerId: string, usage: Usage): Promise<void>;
}

/** Counts in the memory of this process. */
const localCounting: CountingStrategy = {
  isShared: false,
  count: async ({ usage, quota, now, rules }) => countRequest(usage, quota, now, rules),
  endBan: async (_callerId, usage) => forgetBan(usage),
};

/** The most addresses to remember; the least recently seen one is evicted for a new one. */
const MAX_ADDRESSES = 50_000;

/** The most keys to save in one transaction, so that other writes do not wait long. */
const SAVE_BATCH = 1_000;

/** The quotas and bans of a contract. */
export type LimitRules = Pick<Contract, 'plans' | 'anonymousLimits' | 'banRules'>;

export type LimiterOptions = {
  maxAddresses?: number;
  /** Default: the memory of this process. */
  counting?: CountingStrategy;
};

/**
 * A limiter that keeps usage in memory. `flush` saves the usage of keys, and the next start loads it. With shared counting
 * only bans are saved, because the shared counters store the usage and no process knows all of it.
 *
 * The process that started a ban announces it only after it is on disk. Until then, each request of the banned key tries to save it, and
 * rejects if that fails.
 */
export async function createLimiter(
  store: UsageStore,
  { plans, anonymousLimits, banRules: rules }: LimitRules,
  clock: Clock,
  { maxAddresses = MAX_ADDRESSES, counting = localCounting }: LimiterOptions = {},
): Promise<Limiter> {
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
    const request = { callerId: `key:${id}`, usage, quota: quotaOf(key, plans), now, rules };
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

  return { countKey, countAddress: countAddresses(anonymousLimits, clock, { maxAddresses, counting }), flush };
}

/**
 * Returns a function that counts requests by IP address. A request from an IPv6 address that its own network allows also counts
 * for the wider networks, whose quotas are larger; they are counted in the memory of this process only. A network without
 * requests left refuses before the address is counted, so that invented addresses cost neither memory nor shared counters.
 */
export function countAddresses(
  quota: Quota,
  clock: Clock,
  { maxAddresses = MAX_ADDRESSES, counting = localCounting }: Pick<LimiterOptions, 'maxAddresses' | 'counting'> = {},
): Limiter['countAddress'] {
  const addresses = new LRUCache<string, Usage>({ max: maxAddresses });

  return async (address) => {
    const now = clock();
    const subject = addressSubject(address);
    const networks = widerNetworks(subject).map(({ network, factor }) => ({
      usage: usageFor(addresses, network, now),
      quota: { perMinute: quota.perMinute * factor, perDay: quota.perDay * factor },
    }));
    for (const network of networks) {
      const { minute, day } = quotaAt(network.usage, network.quota, now);
      if (minute.remaining > 0 && day.remaining > 0) continue;
      return countRequest(network.usage, network.quota, now, undefined);
    }
    const usage = usageFor(addresses, subject, now);
    const verdict = await counting.count({ callerId: `address:${subject}`, usage, quota, now, rules: undefined });
    if (verdict.outcome !== 'allowed') return verdict;
    for (const network of networks) countRequest(network.usage, network.quota, now, undefined);
    return verdict;
  };
}

async function loadUsage(store: UsageStore, now: number, rules: BanRules): Promise<Map<string, Usage>> {
  const records = await store.load(dayOf(now), now - rules.forgetAfterSeconds * 1_000);
  return new Map(records.map(({ keyId, ...used }) => [keyId, { ...emptyUsage(now), ...used }]));
}

function recordOf(keyId: string, usage: Usage): UsageRecord {
  const { minute, minuteUsed, day, dayUsed, bans, bannedUntil } = usage;
  return { keyId, minute, minuteUsed, day, dayUsed, bans, bannedUntil };
}

/**
 * The subject under which the requests of an IP address are counted. An IPv6 subscriber has at least a /64, so only the
 * first half of the address counts. An IPv4-mapped IPv6 address counts as the IPv4 address. A port, which some proxies append,
 * is ignored. Any other text is the subject `unknown`, so that invented values neither get their own quotas nor fill the memory.
 */
export function addressSubject(address: string): string {
  if (address === '') return '';
  const bare = withoutPort(address);
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? networkOf(bare) : 'unknown';
}

/** `192.0.2.7:443` and `[2001:db8::1]:443` without port and brackets; any other text unchanged. */
function withoutPort(address: string): string {
  const [, six, four] = /^(?:\[(.+)\]|([0-9.]+))(?::[0-9]{1,5})?$/.exec(address) ?? [];
  return six ?? four ?? address;
}

/**
 * The networks around a /64 that one subscriber may have, with the factor of their quotas. A larger network may have more
 * subscribers, but someone with a /48 would otherwise get 65,536 quotas.
 */
function widerNetworks(subject: string): { network: string; factor: number }[] {
  if (!subject.endsWith('::/64')) return [];
  const [first, second, third, fourth = '0'] = subject.slice(0, -'::/64'.length).split(':');
  const high = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return [
    { network: `${first}:${second}:${third}::/48`, factor: 16 },
    { network: `${first}:${second}:${third}:${high}::/56`, factor: 4 },
  ];
}

function networkOf(address: string): string {
  // Normalises the address (RFC 5952) and removes its zone.
  const { address: plain } = new SocketAddress({ address, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const start = head === '' ? [] : head.split(':');
  const end = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros: string[] = Array(8 - start.length - end.length).fill('0');
  return `${[...start, ...zeros, ...end].slice(0, 4).join(':')}::/64`;
}
