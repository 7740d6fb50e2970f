import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { hasQuotas, type LimitRules } from '../common/contract.ts';
import { type Clock, systemClock } from '../common/time.ts';
import type { Config } from '../config/config.ts';
import type { Storage, UsageStore } from '../storage/storage.ts';
import type { RemoteCounters } from './counters.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { createPostgresCounters } from './postgres-counters.ts';
import type { SharedCounting } from './shared-counting.ts';

export type OpenLimiter = {
  limiter: Limiter;
  /** The counters that all processes share; undefined if this process counts on its own. */
  shared: Pick<SharedCounting, 'isUp' | 'onCall'> | undefined;
  close: () => void;
};

type CountingConfig = Pick<Config, 'redisUrl' | 'redisTimeout'>;
type CountingStorage = Pick<Storage, 'usage' | 'sharedDatabase'>;

/** Milliseconds that the start waits for Redis. After that the server starts with its own counters. */
const CONNECT_TIMEOUT = 1_000;

/** Milliseconds for which the saved ban of a key is not read again. */
const BAN_FRESH_FOR = 5_000;

/**
 * Creates the limiter for a configuration, with shared counters if there are any and something is counted. Shared counters use their own clock,
 * because the clocks of the processes differ; only tests send them a clock.
 */
export async function openLimiter(
  config: CountingConfig,
  storage: CountingStorage,
  { service, rules, clock, log }: { service: string; rules: LimitRules; clock: Clock; log: Logger },
): Promise<OpenLimiter> {
  const remote = hasQuotas(rules) ? await openCounters(config, service, storage) : undefined;
  if (remote === undefined) {
    return { limiter: await createLimiter(storage.usage, rules, clock), shared: undefined, close: () => {} };
  }
  const { NO_TIMEOUT, openSharedCounting } = await import('./shared-counting.ts');
  const { counters, timeoutMs = NO_TIMEOUT, fallback } = remote;
  const usesLocalClock = clock !== systemClock;
  const shared = await openSharedCounting(counters, { log, timeoutMs, usesLocalClock, fallback });
  try {
    const limiter = await createLimiter(storage.usage, rules, clock, { counting: shared.counting });
    return { limiter, shared, close: shared.close };
  } catch (error) {
    shared.close();
    throw error;
  }
}

type RemoteCounting = { counters: RemoteCounters; timeoutMs?: number; fallback?: RemoteCounters | undefined };

/**
 * The counters in Redis if it is configured; otherwise those in the database if several processes can share it. While Redis is
 * unavailable, the database counts.
 */
async function openCounters(
  { redisUrl, redisTimeout }: CountingConfig,
  service: string,
  { sharedDatabase, usage }: CountingStorage,
): Promise<RemoteCounting | undefined> {
  const counters = sharedDatabase && createPostgresCounters(sharedDatabase);
  if (redisUrl === undefined) return counters && { counters };
  // Load the client only if Redis is configured.
  const { connectRedis } = await import('./redis-counters.ts');
  const redis = await connectRedis(redisUrl, service, CONNECT_TIMEOUT);
  return { counters: redis, timeoutMs: redisTimeout, fallback: counters && withSavedBans(counters, usage) };
}

/** Counters that also know the bans that other processes started in Redis, because each ban is saved before it is announced. */
function withSavedBans(counters: RemoteCounters, usage: Pick<UsageStore, 'find'>): RemoteCounters {
  const checked = new LRUCache<string, true>({ max: 10_000, ttl: BAN_FRESH_FOR });
  return {
    ...counters,
    async count(callerId, call) {
      if (call.rules === undefined || checked.has(callerId)) return counters.count(callerId, call);
      const saved = await usage.find(callerId.replace(/^key:/, ''));
      checked.set(callerId, true);
      const { localUsage } = call;
      if (saved === undefined || saved.bannedUntil <= localUsage.bannedUntil) return counters.count(callerId, call);
      const { bans, bannedUntil } = saved;
      return counters.count(callerId, { ...call, localUsage: { ...localUsage, bans, bannedUntil } });
    },
  };
}
