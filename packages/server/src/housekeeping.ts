import { banRules, limits } from '@animal-store/contract';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { Limiter } from './limits/limiter.ts';
import type { Storage } from './storage/storage.ts';

/** Milliseconds between two times that usage is written down: what a crash may forget of the counting. */
const FLUSH_INTERVAL = 1_000;
const FORGET_INTERVAL = 3_600_000;

export type HousekeepingParts = {
  storage: Pick<Storage, 'forgetReplies' | 'counters'>;
  limiter: Limiter;
  clock: Clock;
  log: Logger;
};

/** Writes usage down, and forgets old replies and what was counted, at once and from time to time; `stop` does the former a last time. */
export function keepHouse({ storage, limiter, clock, log }: HousekeepingParts): { stop: () => Promise<void> } {
  const warn = (error: unknown) => log.warn({ err: error }, 'housekeeping failed; it is tried again');
  /** Whether it could be written down. */
  const flush = async () => {
    try {
      await limiter.flush();
      return true;
    } catch (error) {
      warn(error);
      return false;
    }
  };
  let flushing: Promise<boolean> | undefined;
  const flushUnlessItIs = () => {
    // One that takes longer than the interval must not be joined by another, which would write most of it again.
    flushing ??= flush().finally(() => {
      flushing = undefined;
    });
  };
  const forgetReplies = () => storage.forgetReplies(clock() - limits.idempotencySeconds * 1_000).catch(warn);
  const forgetCounts = () => storage.counters?.forget(banRules.forgetAfterSeconds).catch(warn);
  const forget = () => Promise.all([forgetReplies(), forgetCounts()]);
  void forget();
  const timers = [setInterval(flushUnlessItIs, FLUSH_INTERVAL), setInterval(forget, FORGET_INTERVAL)];
  for (const timer of timers) timer.unref();

  async function stop(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    // Where one that is under way fails, the next would, too, and a stop would take twice the storage's patience.
    if ((await flushing) !== false) await flush();
  }

  return { stop };
}
