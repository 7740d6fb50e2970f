import { banRules, limits } from '@animal-store/contract';
import type { Logger } from 'pino';
import type { Clock } from '../common/clock.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Storage } from '../storage/storage.ts';

/** Milliseconds between two times that usage is written down: what a crash may forget of the counting. */
const FLUSH_INTERVAL = 1_000;
const FORGET_INTERVAL = 3_600_000;

export type MaintenanceParts = {
  storage: Pick<Storage, 'deleteIdempotencyRecords' | 'counters'>;
  limiter: Limiter;
  clock: Clock;
  log: Logger;
};

/** Writes usage down, and forgets old responses and what was counted, at once and from time to time; `stop` does the former a last time. */
export function startMaintenance({ storage, limiter, clock, log }: MaintenanceParts): { stop: () => Promise<void> } {
  const warn = (error: unknown) => log.warn({ err: error }, 'maintenance failed; it is tried again');
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
  const deleteIdempotencyRecords = () =>
    storage.deleteIdempotencyRecords(clock() - limits.idempotencySeconds * 1_000).catch(warn);
  const forgetCounts = () => storage.counters?.forget(banRules.forgetAfterSeconds).catch(warn);
  const forget = () => Promise.all([deleteIdempotencyRecords(), forgetCounts()]);
  void forget();
  const timers = [setInterval(flushUnlessItIs, FLUSH_INTERVAL), setInterval(forget, FORGET_INTERVAL)];
  for (const timer of timers) timer.unref();

  async function stop(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    // Where one that is under way fails, the next would, too, and a stop would take twice the storage's timeoutMs.
    if ((await flushing) !== false) await flush();
  }

  return { stop };
}
