import type { Logger } from 'pino';
import { type Clock, systemClock } from '../common/time.ts';
import type { Config } from '../config/config.ts';
import type { RemoteCounters } from '../quota/counters.ts';
import type { Storage } from '../storage/storage.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import type { SharedCounting } from './shared-counting.ts';

export type OpenLimiter = {
  limiter: Limiter;
  /** The counters that all processes share; undefined if this process counts on its own. */
  shared: Pick<SharedCounting, 'isUp' | 'onCall'> | undefined;
  close: () => void;
};

type CountingConfig = Pick<Config, 'redisUrl' | 'redisTimeout'>;
type CountingStorage = Pick<Storage, 'usage' | 'counters'>;

/** Milliseconds that the start waits for Redis. After that the server starts with its own counters. */
const CONNECT_TIMEOUT = 1_000;

/** The longest timeout that a timer supports, in milliseconds. The counters in the database have their own timeouts. */
const NO_TIMEOUT = 2 ** 31 - 1;

/**
 * Creates the limiter for a configuration, with shared counters if there are any. Shared counters use their own clock,
 * because the clocks of the processes differ; only tests send them a clock.
 */
export async function openLimiter(
  config: CountingConfig,
  storage: CountingStorage,
  clock: Clock,
  log: Logger,
): Promise<OpenLimiter> {
  const remote = await openCounters(config, storage);
  if (remote === undefined) {
    return { limiter: await createLimiter(storage.usage, clock), shared: undefined, close: () => {} };
  }
  const { openSharedCounting } = await import('./shared-counting.ts');
  const { counters, timeoutMs } = remote;
  const shared = await openSharedCounting(counters, { log, timeoutMs, usesLocalClock: clock !== systemClock });
  try {
    const limiter = await createLimiter(storage.usage, clock, { counting: shared.counting });
    return { limiter, shared, close: shared.close };
  } catch (error) {
    shared.close();
    throw error;
  }
}

/** The counters in Redis if it is configured; otherwise those in the database if several processes can share it. */
async function openCounters(
  { redisUrl, redisTimeout }: CountingConfig,
  { counters }: CountingStorage,
): Promise<{ counters: RemoteCounters; timeoutMs: number } | undefined> {
  if (redisUrl === undefined) return counters && { counters, timeoutMs: NO_TIMEOUT };
  // Load the client only if Redis is configured.
  const { connectRedis } = await import('./redis-counters.ts');
  return { counters: await connectRedis(redisUrl, CONNECT_TIMEOUT), timeoutMs: redisTimeout };
}
