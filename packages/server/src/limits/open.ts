import type { Logger } from 'pino';
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { UsageStore } from '../storage/storage.ts';
import { createLimiter, type Limiter } from './limiter.ts';

export type OpenLimiter = {
  limiter: Limiter;
  /** The counters of all processes; undefined when this one counts by itself. */
  shared: { readonly isUp: boolean } | undefined;
  close: () => void;
};

/**
 * The limiter as configured: with the counters of all processes where there are any. Their clock decides what time it is,
 * because those of the processes differ; only a clock that a test sets is passed on to them.
 */
export async function openLimiter(
  { redisUrl, redisTimeout }: Pick<Config, 'redisUrl' | 'redisTimeout'>,
  store: UsageStore,
  clock: Clock,
  log: Logger,
): Promise<OpenLimiter> {
  if (redisUrl === undefined) return { limiter: await createLimiter(store, clock), shared: undefined, close: () => {} };
  // Its client is not loaded where nobody needs it.
  const { openSharedCounting } = await import('./shared/index.ts');
  const shared = await openSharedCounting(redisUrl, redisTimeout, log, clock !== systemClock);
  try {
    return { limiter: await createLimiter(store, clock, { counting: shared.counting }), shared, close: shared.close };
  } catch (error) {
    shared.close();
    throw error;
  }
}
