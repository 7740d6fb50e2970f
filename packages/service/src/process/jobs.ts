import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { type Clock, DAY, MINUTE } from '../common/time.ts';
import type { Every, Job } from '../openapi/service-parts.ts';
import { withOwnTransactions } from '../storage/own-transactions.ts';
import type { RunTransaction, Storage, StoreTypes } from '../storage/storage.ts';

/** The most milliseconds between two looks for jobs that are due. */
const CHECK_INTERVAL = 10_000;
/** The time limit of a job is half of its interval, so that one that is cut off runs again within it, but at most this. */
const LONGEST_RUN = 10 * MINUTE;

const units: Readonly<Record<string, number>> = { second: 1_000, minute: MINUTE, hour: 60 * MINUTE, day: DAY };

/** A job has a time that is none. The types exclude most of these, but Node.js does not check them. */
export class JobError extends Error {
  override name = 'JobError';
}

function millisecondsOf(every: Every): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5}) ([a-z]+?)s?$/.exec(every) ?? [];
  return Number(count) * (units[unit] ?? Number.NaN);
}

/** @throws JobError if `every` or `limit` is not a whole number of seconds, minutes, hours or days, or no timer can wait for the limit */
export function timesOf(name: string, { every, limit }: Pick<Job<StoreTypes>, 'every' | 'limit'>) {
  const everyMs = millisecondsOf(every);
  const limitMs = limit === undefined ? Math.min(everyMs / 2, LONGEST_RUN) : millisecondsOf(limit);
  if (everyMs > 0 && limitMs < 25 * DAY) return { everyMs, limitMs };
  throw new JobError(
    `The job ${name} has the time "${everyMs > 0 ? limit : every}". Write a whole number and a unit, such as "10 minutes" or "1 day"; the longest limit is "24 days".`,
  );
}

export type JobParts<Store extends StoreTypes> = {
  storage: Storage<Store>;
  clock: Clock;
  log: Logger;
  observe?: ((job: string, result: 'done' | 'failed', milliseconds: number) => void) | undefined;
  /** Aborts when the process stops. */
  stopping?: AbortSignal;
};

/**
 * Runs a job if it is due by the clock of the database, or with `isForced` if no process runs it. Resolves to its result; undefined if it
 * was not run. While it runs, the database holds its lease, which ends with its time limit: a job that failed runs again then.
 */
export async function runJob<Store extends StoreTypes>(
  name: string,
  job: Job<Store>,
  { storage, clock, log, observe, stopping = new AbortController().signal }: JobParts<Store>,
  isForced = false,
): Promise<'done' | 'failed' | undefined> {
  const { everyMs, limitMs } = timesOf(name, job);
  const lease = randomUUID();
  if (!(await storage.jobs.claim(name, lease, limitMs, isForced))) return undefined;
  const startedAt = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(limitMs)]);
  const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  const runToEnd = async (transaction: RunTransaction<Store>) => {
    // An abort during the claim is over, so `aborted` does not see it.
    signal.throwIfAborted();
    await job.run({ storage: { reader: storage.reader, transaction }, clock, log, signal });
  };
  const failure = await withOwnTransactions(storage, (transaction) =>
    Promise.race([runToEnd(transaction), aborted]),
  ).then(
    () => undefined,
    (error: unknown) => error ?? new Error('The job failed without an error.'),
  );
  const ms = Math.round(performance.now() - startedAt);
  // Another process can run a job of this one at once if it stops.
  await storage.jobs.end(name, lease, failure === undefined ? everyMs - limitMs : stopping.aborted ? -limitMs : 0);
  const result = failure === undefined ? 'done' : 'failed';
  if (failure === undefined) log.info({ job: name, ms }, 'job done');
  else if (stopping.aborted) log.warn({ job: name, ms, err: failure }, 'the stop has ended a job; it is due at once');
  else log.error({ job: name, ms, err: failure }, `job failed; it runs again ${limitMs / 1_000} s after its start`);
  observe?.(name, result, ms);
  return result;
}

/** Runs each job on one of the servers of a database when it is due. */
export function startJobs<Store extends StoreTypes>(
  jobs: Readonly<Record<string, Job<Store>>>,
  parts: JobParts<Store>,
): { stop: () => Promise<void> } {
  const controller = new AbortController();
  const running = new Map<string, Promise<unknown>>();
  const interval = Math.min(CHECK_INTERVAL, ...Object.entries(jobs).map((job) => timesOf(...job).everyMs / 4));
  const timer = setInterval(() => {
    for (const [name, job] of Object.entries(jobs).filter(([each]) => !running.has(each))) {
      const run = runJob(name, job, { ...parts, stopping: controller.signal })
        .catch((err) => parts.log.warn({ job: name, err }, 'the database could not start or end the lease of a job'))
        .finally(() => running.delete(name));
      running.set(name, run);
    }
  }, interval).unref();
  return {
    async stop() {
      clearInterval(timer);
      controller.abort(new Error('The server stops.'));
      await Promise.all(running.values());
    },
  };
}
