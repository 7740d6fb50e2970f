import type { Logger } from 'pino';
import type { Contract } from '../common/facts.ts';
import type { Clock } from '../common/time.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import { forgetCallers } from '../rate-limit/postgres-counters.ts';
import type { Storage } from '../storage/storage.ts';

/** Milliseconds between two saves of the usage. A crash can lose this much counting. */
const FLUSH_INTERVAL = 1_000;
const DELETE_INTERVAL = 3_600_000;

export type MaintenanceParts = {
  contract: Pick<Contract, 'limits' | 'banRules'>;
  storage: Pick<Storage, 'deleteIdempotencyRecords' | 'sharedDatabase'>;
  limiter: Limiter;
  clock: Clock;
  log: Logger;
};

/**
 * Saves usage every second, and deletes expired idempotency records and counters at the start and every hour. `stop` saves usage one last time, and rejects if that failed.
 */
export function startMaintenance({ contract, storage, limiter, clock, log }: MaintenanceParts) {
  const { limits, banRules } = contract;
  const { sharedDatabase } = storage;
  const usageSaver = createSaver(() => logFailure(limiter.flush()));

  function deleteExpired(): void {
    void logFailure(storage.deleteIdempotencyRecords(clock() - limits.idempotencySeconds * 1_000));
    if (sharedDatabase !== undefined) void logFailure(forgetCallers(sharedDatabase, banRules?.forgetAfterSeconds ?? 0));
  }

  async function logFailure(task: Promise<void>): Promise<boolean> {
    try {
      await task;
      return true;
    } catch (error) {
      log.warn({ err: error }, 'maintenance failed; it will be retried');
      return false;
    }
  }

  deleteExpired();
  const timers = [setInterval(usageSaver.save, FLUSH_INTERVAL), setInterval(deleteExpired, DELETE_INTERVAL)];
  for (const timer of timers) timer.unref();

  async function stop(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    if (!(await usageSaver.finish())) throw new Error('The database did not save it.');
  }

  return { stop };
}

/** Runs a save unless it is already running. `save` and `finish` resolve to whether it succeeded. */
function createSaver(saveOnce: () => Promise<boolean>) {
  let saving: Promise<boolean> | undefined;
  function save(): Promise<boolean> {
    saving ??= saveOnce().finally(() => {
      saving = undefined;
    });
    return saving;
  }
  /** Waits for the running save, then saves the rest. If it failed, another one would fail after the same time. */
  const finish = async () => (await saving) !== false && (await save());
  return { save, finish };
}
