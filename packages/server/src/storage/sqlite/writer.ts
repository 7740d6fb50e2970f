import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Nesting } from '../nesting.ts';
import { StorageUnavailableError } from '../storage.ts';
import { PATIENCE } from './connection.ts';
import { isBusy } from './failure.ts';

/** Works that share one COMMIT, at most. */
const BATCH = 100;
/** Milliseconds between two tries to get the write lock. */
const RETRY = 2;

type Job = {
  /** Does the work. What it resolves to tells the caller so, once the work is on disk. */
  run(): Promise<() => void>;
  reject(error: unknown): void;
};

/**
 * The one writer of a connection. Works wait in a queue and run one after the other, each in a savepoint of its own;
 * works that are in the queue together share one COMMIT, because the disk's sync is what a small transaction costs.
 */
export class Writer {
  readonly #database: DatabaseSync;
  readonly #assertFile: () => void;
  readonly #patience: number;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #queue: Job[] = [];
  readonly #nesting = new Nesting();
  #batch: Promise<void> | undefined;
  #closed = false;

  /**
   * @param assertFile throws when what is committed now would not be found again
   * @param patience how long another process may keep the write lock, in milliseconds
   */
  constructor(database: DatabaseSync, assertFile: () => void, patience: number = PATIENCE) {
    this.#database = database;
    this.#assertFile = assertFile;
    this.#patience = patience;
    this.#savepoint = database.prepare('SAVEPOINT work');
    this.#release = database.prepare('RELEASE work');
    // The engine would wait for a lock by blocking the whole process; here only the works wait.
    database.exec('PRAGMA busy_timeout = 0');
  }

  /** Runs `work` as one transaction. It resolves when the work is on disk; when it rejects, nothing has happened. */
  transact<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageUnavailableError(new Error('The storage is closed.')));
    if (this.#nesting.isInside()) return Promise.reject(Nesting.refusal());
    return new Promise((resolve, reject) => {
      // In the caller's context: whoever started the batch may be somebody else.
      const workHere = this.#nesting.bind(work);
      const run = async () => {
        const result = await workHere();
        return () => resolve(result);
      };
      this.#queue.push({ run, reject });
      this.#batch ??= this.#runBatches();
    });
  }

  /** Resolves at a moment at which no transaction is open; it lasts until the caller next waits. */
  async pause(): Promise<void> {
    if (this.#nesting.isInside()) throw Nesting.refusal();
    await this.#batch;
  }

  /** Takes no more works, and resolves when those in the queue are done. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#batch !== undefined) await this.#batch;
  }

  async #runBatches(): Promise<void> {
    // What arrives in the same turn of the event loop joins the batch, and who waits for a pause gets it.
    await setImmediate();
    await this.#runBatch();
    this.#batch = this.#queue.length > 0 ? this.#runBatches() : undefined;
  }

  async #runBatch(): Promise<void> {
    const taken: Job[] = [];
    try {
      await this.#begin();
      const done: (() => void)[] = [];
      for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
        taken.push(job);
        const settle = await this.#runJob(job);
        if (settle !== undefined) done.push(settle);
        if (taken.length === BATCH) break;
      }
      this.#assertFile();
      this.#database.exec('COMMIT');
      for (const settle of done) settle();
    } catch (error) {
      this.#undo();
      // A batch that never began is refused with all that wait: they would not fare better.
      const refused = taken.length > 0 ? taken : this.#queue.splice(0);
      const failure = error instanceof StorageUnavailableError ? error : new StorageUnavailableError(error);
      // Has no effect on those that were rejected already with an error of their own.
      for (const job of refused) job.reject(failure);
    }
  }

  /** Does one work of a batch. When it rejects, only that work is undone. Throws when the whole batch is lost. */
  async #runJob(job: Job): Promise<(() => void) | undefined> {
    this.#savepoint.run();
    try {
      const settle = await job.run();
      this.#requireTransaction();
      this.#release.run();
      return settle;
    } catch (error) {
      job.reject(error);
      this.#requireTransaction();
      this.#database.exec('ROLLBACK TO work; RELEASE work');
      return undefined;
    }
  }

  /** After some failures the engine undoes the whole transaction (https://sqlite.org/lang_transaction.html, section 3). */
  #requireTransaction(): void {
    if (this.#database.isTransaction) return;
    throw new StorageUnavailableError(new Error('The engine undid the transaction.'));
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#patience;
    for (;;) {
      try {
        return this.#database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
      await setTimeout(RETRY);
    }
  }

  #undo(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The next BEGIN fails as long as this transaction is open, and that failure is reported.
    }
  }
}
