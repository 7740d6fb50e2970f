import { banRules, limits } from '@animal-store/contract';
import type { Logger } from 'pino';
import type { Clock } from '../common/time.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Storage } from '../storage/storage.ts';

/** Milliseconds between two saves of the usage: the counting that a crash can lose. */
const FLUSH_INTERVAL = 1_000;
/** Milliseconds between two deletions of expired data. */
const DELETE_INTERVAL = 3_600_000;

export type MaintenanceParts = {
  storage: Pick<Storage, 'deleteIdempotencyRecords' | 'counters'>;
  limiter: Limiter;
  clock: Clock;
  log: Logger;
};

/**
 * Saves usage every second, and deletes expired idempotency records and counters at once and every hour. `stop` saves the
 * usage one last time.
 */
export function startMaintenance({ storage, limiter, clock, log }: MaintenanceParts): { stop: () => Promise<void> } {
  let flushing: Promise<boolean> | undefined;

  /** Resolves to whether the usage was saved. A save that takes longer than the interval is not joined by another. */
  function flush(): Promise<boolean> {
    flushing ??= logFailure(limiter.flush()).finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  function deleteExpired(): void {
    void logFailure(storage.deleteIdempotencyRecords(clock() - limits.idempotencySeconds * 1_000));
    if (storage.counters !== undefined) void logFailure(storage.counters.forget(banRules.forgetAfterSeconds));
  }

  /** Resolves to whether a task succeeded. */
  function logFailure(task: Promise<void>): Promise<boolean> {
    return task.then(
      () => true,
      (error) => {
        log.warn({ err: error }, 'maintenance failed; it will be retried');
        return false;
      },
    );
  }

  deleteExpired();
  const timers = [setInterval(flush, FLUSH_INTERVAL), setInterval(deleteExpired, DELETE_INTERVAL)];
  for (const timer of timers) timer.unref();

  async function stop(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    // If the save under way fails, another one would fail, too, and the stop would take twice the time-out of the storage.
    if ((await flushing) !== false) await flush();
  }

  return { stop };
}
