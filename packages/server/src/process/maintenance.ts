import { banRules, limits } from '@animal-store/contract';
import type { Logger } from 'pino';
import type { Clock } from '../common/time.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Storage } from '../storage/storage.ts';

/** Milliseconds between two saves of the usage. A crash can lose this much counting. */
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
 * Saves usage every second, and deletes expired idempotency records and counters at the start and every hour. `stop` saves
 * the usage one last time.
 */
export function startMaintenance({ storage, limiter, clock, log }: MaintenanceParts): { stop: () => Promise<void> } {
  let flushing: Promise<boolean> | undefined;

  /** Saves the usage, unless a save is already running. Resolves to whether it succeeded. */
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
    // If the running save fails, another one would fail as well, and stopping would take twice the storage timeout.
    if ((await flushing) !== false) await flush();
  }

  return { stop };
}
