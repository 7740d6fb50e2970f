import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { StorageUnavailableError } from '../storage.ts';
import { TransactionContext } from '../transaction-context.ts';
import { PATIENCE } from './connection.ts';
import { SharedTransaction } from './shared-transaction.ts';

/** Works that share one COMMIT, at most. */
const BATCH = 100;
/** Milliseconds after which a batch begins, though more works requestContext in each turn. */
const GATHERING = 2;

type Job = {
  /** Does the work. What it resolves to tells the caller so, once the work is on disk. */
  run(): Promise<() => void>;
  reject(error: unknown): void;
};

/** In milliseconds. */
export type WriterTimes = {
  /** How long another process may keep the write lock. */
  timeoutMs?: number;
  /** How long a batch may wait for more works, as long as each turn of the event loop brings some. */
  gathering?: number;
};

/**
 * The one writer of a connection. Works wait in a queue and run one after the other, each in a savepoint of its own;
 * works that are in the queue together share one COMMIT, because the disk's sync is what a small transaction costs.
 */
export class Writer {
  readonly #transaction: SharedTransaction;
  readonly #assertFile: () => void;
  readonly #timeoutMs: number;
  readonly #gathering: number;
  readonly #queue: Job[] = [];
  readonly #transactionContext = new TransactionContext();
  #batch: Promise<void> | undefined;
  #closed = false;

  /** @param assertFile throws when what is committed now would not be found again */
  constructor(
    database: DatabaseSync,
    assertFile: () => void,
    { timeoutMs = PATIENCE, gathering = GATHERING }: WriterTimes = {},
  ) {
    this.#transaction = new SharedTransaction(database);
    this.#assertFile = assertFile;
    this.#timeoutMs = timeoutMs;
    this.#gathering = gathering;
  }

  /** Runs `work` as one transaction. It resolves when the work is on disk; when it rejects, nothing has happened. */
  transact<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageUnavailableError(new Error('The storage is closed.')));
    if (this.#transactionContext.isInside()) return Promise.reject(TransactionContext.refusal());
    return new Promise((resolve, reject) => {
      // In the caller's context: whoever started the batch may be somebody else.
      const workHere = this.#transactionContext.bind(work);
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
    if (this.#transactionContext.isInside()) throw TransactionContext.refusal();
    await this.#batch;
  }

  /** Takes no more works, and resolves when those in the queue are done. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#batch !== undefined) await this.#batch;
  }

  async #runBatches(): Promise<void> {
    await this.#coalescePerTick();
    await this.#runBatch();
    this.#batch = this.#queue.length > 0 ? this.#runBatches() : undefined;
  }

  /**
   * What arrives in the same turn of the event loop joins the batch, and who waits for a pause gets it. While more requestContext,
   * another turn is worth its time, for whoever comes too late for a COMMIT needs one more.
   */
  async #coalescePerTick(): Promise<void> {
    const end = performance.now() + this.#gathering;
    let before: number;
    do {
      before = this.#queue.length;
      await setImmediate();
    } while (this.#queue.length > before && this.#queue.length < BATCH && performance.now() < end);
  }

  async #runBatch(): Promise<void> {
    const taken: Job[] = [];
    try {
      await this.#transaction.begin(this.#timeoutMs);
      const done: (() => void)[] = [];
      for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
        taken.push(job);
        const settle = await this.#runJob(job);
        if (settle !== undefined) done.push(settle);
        if (taken.length === BATCH) break;
      }
      this.#assertFile();
      this.#transaction.commit();
      for (const settle of done) settle();
    } catch (error) {
      this.#transaction.undo();
      // A batch that never began is refused with all that wait: they would not fare better.
      const refused = taken.length > 0 ? taken : this.#queue.splice(0);
      const failure = error instanceof StorageUnavailableError ? error : new StorageUnavailableError(error);
      // Has no effect on those that were rejected already with an error of their own.
      for (const job of refused) job.reject(failure);
    }
  }

  /** Does one work of a batch. When it rejects, only that work is undone. Throws when the whole batch is lost. */
  async #runJob(job: Job): Promise<(() => void) | undefined> {
    this.#transaction.beginWork();
    try {
      const settle = await job.run();
      this.#transaction.keepWork();
      return settle;
    } catch (error) {
      job.reject(error);
      this.#transaction.undoWork();
      return undefined;
    }
  }
}
