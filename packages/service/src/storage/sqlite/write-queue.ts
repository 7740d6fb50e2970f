import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailableError } from '../storage.ts';
import type { Run } from '../store-definition.ts';
import { TransactionContext } from '../transaction-context.ts';
import { LOCK_TIMEOUT, reasonOf, retryWhileBusy, runStatements } from './connection.ts';

const MAX_BATCH = 100;

const defaultTimes = {
  lockTimeoutMs: LOCK_TIMEOUT,
  /** How long a unit of work may take, because all other writers wait for it. Operations take less than 1 ms. */
  workTimeoutMs: 2_000,
  /** How long a unit of work may wait for its start, because slow ones could delay it by `workTimeoutMs` each. */
  waitTimeoutMs: 10_000,
  /** How long a batch may wait for more work, as long as each turn of the event loop brings some. */
  gatherMs: 2,
};

export type WriteQueueTimes = Partial<typeof defaultTimes>;

type Job = {
  /** When it was added to the queue, by the clock of `performance.now`. */
  queuedAt: number;
  /** Runs the work. Resolves to a function that resolves the caller's promise, to be called once the work is on disk. */
  run: () => Promise<() => void>;
  close: () => void;
  reject: (error: unknown) => void;
};

/**
 * The transactions of the one connection that writes. Units of work run one after another, each in its own savepoint.
 * Queued units of work share one COMMIT, because a small transaction spends most of its time waiting for the disk.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #assertFile: () => void;
  readonly #times: typeof defaultTimes;
  readonly #queue: Job[] = [];
  readonly #context = new TransactionContext();
  #batches: Promise<void> | undefined;
  /** Rejects the unit of work that is running. */
  #expire = () => {};
  #closed = false;

  get length(): number {
    return this.#queue.length;
  }

  /** @param assertFile throws if the database file was removed or replaced */
  constructor(database: DatabaseSync, assertFile: () => void, times: WriteQueueTimes = {}) {
    this.#database = database;
    this.#savepoint = database.prepare('SAVEPOINT work');
    this.#release = database.prepare('RELEASE work');
    this.#assertFile = assertFile;
    this.#times = { ...defaultTimes, ...times };
    // SQLite would block the whole process while it waits for a lock; retryWhileBusy does not.
    database.exec('PRAGMA busy_timeout = 0');
  }

  /** Runs `work` as one transaction: it is on disk when this resolves, and nothing has happened when it rejects. */
  async transact<T>(work: (run: Run) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageUnavailableError(new Error('The storage is closed.'));
    this.#context.assertOutside();
    const scope = this.#context.openScope();
    const run: Run = async (statements) => {
      scope.assertOpen();
      return runStatements(statements);
    };
    return new Promise((resolve, reject) => {
      const runWork = async () => {
        const result = await work(run);
        return () => resolve(result);
      };
      const queuedAt = performance.now();
      this.#queue.push({ queuedAt, run: () => scope.run(runWork), close: scope.close, reject });
      this.#batches ??= this.#runBatches();
    });
  }

  /** Resolves at a moment at which no transaction is open; the caller must use it without awaiting anything. */
  async whenIdle(): Promise<void> {
    this.#context.assertOutside();
    await this.#batches;
  }

  async close(): Promise<void> {
    this.#closed = true;
    while (this.#batches !== undefined) await this.#batches;
  }

  async #runBatches(): Promise<void> {
    await this.#collectBatch();
    await this.#runBatch();
    this.#batches = this.#queue.length > 0 ? this.#runBatches() : undefined;
  }

  /**
   * Waits one turn of the event loop, so that work of the same turn joins the batch and callers of `whenIdle` get their
   * moment. Waiting another turn pays as long as more work arrives, because late work needs a separate COMMIT.
   */
  async #collectBatch(): Promise<void> {
    const end = performance.now() + this.#times.gatherMs;
    let before: number;
    do {
      before = this.#queue.length;
      await nextTurn();
    } while (this.#queue.length > before && this.#queue.length < MAX_BATCH && performance.now() < end);
  }

  async #runBatch(): Promise<void> {
    const taken: Job[] = [];
    // One timer for all jobs, because one for each would take 2 µs of the 13 of a job. A result that arrived while this
    // process was busy is not late: the event loop delivers it before the callback of setImmediate.
    const timer = setTimeout(() => setImmediate(this.#expire), this.#times.workTimeoutMs);
    try {
      await retryWhileBusy(this.#times.lockTimeoutMs, () => this.#database.exec('BEGIN IMMEDIATE'));
      const done: (() => void)[] = [];
      for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
        if (this.#refuseLate(job)) continue;
        taken.push(job);
        const resolve = await this.#runJob(job, timer);
        if (resolve !== undefined) done.push(resolve);
        if (taken.length === MAX_BATCH) break;
      }
      this.#assertFile();
      this.#database.exec('COMMIT');
      for (const resolve of done) resolve();
    } catch (error) {
      this.#rollback();
      // If the batch could not begin, refuse all queued jobs, because they would fail in the same way.
      const refused = taken.length > 0 ? taken : this.#queue.splice(0);
      const failure =
        error instanceof StorageUnavailableError ? error : new StorageUnavailableError(error, reasonOf(error));
      // This changes nothing for jobs that were already rejected with their own error.
      for (const job of refused) job.reject(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects a job that has waited too long, and says whether it did. */
  #refuseLate(job: Job): boolean {
    const { waitTimeoutMs } = this.#times;
    if (performance.now() - job.queuedAt <= waitTimeoutMs) return false;
    job.close();
    job.reject(new StorageUnavailableError(new Error(`A unit of work waited longer than ${waitTimeoutMs} ms.`)));
    return true;
  }

  /** Runs one unit of work. If it rejects or is too slow, only that work is rolled back. Throws if the whole batch is lost. */
  async #runJob(job: Job, timer: NodeJS.Timeout): Promise<(() => void) | undefined> {
    this.#savepoint.run();
    try {
      const resolve = await this.#withDeadline(job.run, timer);
      job.close();
      this.#assertInTransaction();
      this.#release.run();
      return resolve;
    } catch (error) {
      job.close();
      job.reject(error);
      this.#assertInTransaction();
      this.#database.exec('ROLLBACK TO work; RELEASE work');
      return undefined;
    }
  }

  #withDeadline<T>(run: () => Promise<T>, timer: NodeJS.Timeout): Promise<T> {
    timer.refresh();
    return new Promise((resolve, reject) => {
      const { workTimeoutMs } = this.#times;
      this.#expire = () => {
        const cause = new Error(`The code in a transaction took longer than ${workTimeoutMs} ms.`);
        reject(new StorageUnavailableError(cause, 'a transaction stayed open too long'));
      };
      run().then(resolve, reject);
    });
  }

  /** After some failures SQLite rolls back the whole transaction (https://sqlite.org/lang_transaction.html, section 3). */
  #assertInTransaction(): void {
    if (this.#database.isTransaction) return;
    throw new StorageUnavailableError(new Error('The engine undid the transaction.'), 'writes to the database fail');
  }

  #rollback(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The next BEGIN fails as long as this transaction is open, and that failure is reported.
    }
  }
}
