import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StorageUnavailableError } from '../storage.ts';
import { isBusy } from './failure.ts';

/** Milliseconds between two tries to get the write lock. */
const RETRY = 2;

/** The transaction of a connection that works share one after the other, each in a savepoint of its own. */
export class SharedTransaction {
  readonly #database: DatabaseSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#savepoint = database.prepare('SAVEPOINT work');
    this.#release = database.prepare('RELEASE work');
    // The engine would wait for a lock by blocking the whole process; here only the works wait.
    database.exec('PRAGMA busy_timeout = 0');
  }

  /** @param timeoutMs how long another process may keep the write lock, in milliseconds */
  async begin(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      try {
        return this.#database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
      await setTimeout(RETRY);
    }
  }

  beginWork(): void {
    this.#savepoint.run();
  }

  keepWork(): void {
    this.#assertOpen();
    this.#release.run();
  }

  /** Undoes the work alone. Throws when the whole transaction is lost. */
  undoWork(): void {
    this.#assertOpen();
    this.#database.exec('ROLLBACK TO work; RELEASE work');
  }

  commit(): void {
    this.#database.exec('COMMIT');
  }

  undo(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The next BEGIN fails as long as this transaction is open, and that failure is reported.
    }
  }

  /** After some failures the engine undoes the whole transaction (https://sqlite.org/lang_transaction.html, section 3). */
  #assertOpen(): void {
    if (this.#database.isTransaction) return;
    throw new StorageUnavailableError(new Error('The engine undid the transaction.'));
  }
}
