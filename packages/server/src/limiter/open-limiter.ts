import type { Logger } from 'pino';
import { type Clock, systemClock } from '../common/clock.ts';
import type { Config } from '../config/config.ts';
import type { RemoteCounters } from '../quota/counters.ts';
import type { Storage } from '../storage/storage.ts';
import { createLimiter, type Limiter } from './limiter.ts';

export type OpenLimiter = {
  limiter: Limiter;
  /** The counters of all processes; undefined when this one counts by itself. */
  shared: { readonly isUp: boolean } | undefined;
  close: () => void;
};

type CountingConfig = Pick<Config, 'redisUrl' | 'redisTimeout'>;
type CountingStorage = Pick<Storage, 'usage' | 'counters'>;

/** Milliseconds that a start waits for Redis; then the server goes on with its own counters. */
const CONNECT = 1_000;

/** The longest that a timer takes, in milliseconds: those of the database give up themselves, each question by itself. */
const LONGEST = 2 ** 31 - 1;

/**
 * The limiter as configured: with the counters of all processes where there are any. Their clock decides what time it is,
 * because those of the processes differ; only a clock that a test sets is passed on to them.
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
  const { openSharedCounting } = await import('./open-shared-counting.ts');
  const { counters, timeoutMs } = remote;
  const shared = await openSharedCounting(counters, { log, timeoutMs, isClockOurs: clock !== systemClock });
  try {
    const limiter = await createLimiter(storage.usage, clock, { counting: shared.counting });
    return { limiter, shared, close: shared.close };
  } catch (error) {
    shared.close();
    throw error;
  }
}

/** Those of Redis where there is one, otherwise those of a database that many processes share. */
async function openCounters(
  { redisUrl, redisTimeout }: CountingConfig,
  { counters }: CountingStorage,
): Promise<{ counters: RemoteCounters; timeoutMs: number } | undefined> {
  if (redisUrl === undefined) return counters && { counters, timeoutMs: LONGEST };
  // Its client is not loaded where nobody needs it.
  const { connectRedis } = await import('./redis-counters.ts');
  return { counters: await connectRedis(redisUrl, CONNECT), timeoutMs: redisTimeout };
}
