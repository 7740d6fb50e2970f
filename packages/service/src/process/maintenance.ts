import type { Logger } from 'pino';
import type { Contract } from '../common/contract.ts';
import { type Clock, dayOf } from '../common/time.ts';
import type { ActivityTracker } from '../middleware/observe-responses.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import { forgetCallers } from '../rate-limit/postgres-counters.ts';
import { type KeyStore, keptDays, type Storage } from '../storage/storage.ts';

/** Milliseconds between two saves of the usage. A crash can lose this much counting. */
const FLUSH_INTERVAL = 1_000;
/** Milliseconds between two saves of the activity of keys. The stored activity is at most this old, and a crash loses at most this much. */
const ACTIVITY_INTERVAL = 10_000;
/** Milliseconds between two runs of the work of the store. */
const STORE_INTERVAL = 60_000;
/** Milliseconds between two deletions of expired data. */
const DELETE_INTERVAL = 3_600_000;

export type MaintenanceParts = {
  contract: Pick<Contract, 'limits' | 'banRules'>;
  storage: Pick<Storage, 'deleteIdempotencyRecords' | 'sharedDatabase'> & { keys: Pick<KeyStore, 'deleteDailyCalls'> };
  limiter: Limiter;
  /** Undefined in a process that serves no requests. */
  activity?: ActivityTracker;
  /** Work of the store that is due every minute. */
  everyMinute?: () => Promise<void>;
  clock: Clock;
  log: Logger;
};

/**
 * Saves usage every second and the activity of keys every ten, runs the work of the store every minute, and deletes expired idempotency records, counters and daily calls
 * at the start and every hour. `stop` saves usage and activity one last time, and rejects if that failed.
 */
export function startMaintenance({ contract, storage, limiter, activity, everyMinute, clock, log }: MaintenanceParts) {
  const { limits, banRules } = contract;
  const { sharedDatabase } = storage;
  let isStopping = false;
  const usageSaver = createSaver(() => logFailure(limiter.flush(isStopping)));
  const activitySaver = createSaver(() => logFailure(activity?.flush()));
  const storeWork = createSaver(() => logFailure(everyMinute?.()));

  function deleteExpired(): void {
    void logFailure(storage.deleteIdempotencyRecords(clock() - limits.idempotencySeconds * 1_000));
    void logFailure(storage.keys.deleteDailyCalls(dayOf(clock()) - keptDays + 1));
    if (sharedDatabase !== undefined) void logFailure(forgetCallers(sharedDatabase, banRules?.forgetAfterSeconds ?? 0));
  }

  /** Resolves to whether a task succeeded. */
  async function logFailure(task: Promise<void> | undefined): Promise<boolean> {
    try {
      await task;
      return true;
    } catch (error) {
      log.warn({ err: error }, 'maintenance failed; it will be retried');
      return false;
    }
  }

  deleteExpired();
  const timers = [
    setInterval(usageSaver.save, FLUSH_INTERVAL),
    setInterval(activitySaver.save, ACTIVITY_INTERVAL),
    setInterval(storeWork.save, STORE_INTERVAL),
    setInterval(deleteExpired, DELETE_INTERVAL),
  ];
  for (const timer of timers) timer.unref();

  async function stop(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    isStopping = true;
    const saved = await Promise.all([usageSaver.finish(), activitySaver.finish()]);
    if (saved.includes(false)) throw new Error('The database did not save them.');
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
  /**
   * Waits for the running save, then saves the rest. If it failed, another save would also fail, after the same timeout.
   */
  const finish = async () => (await saving) !== false && (await save());
  return { save, finish };
}
