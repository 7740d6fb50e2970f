import type { Logger } from 'pino';
import type { AfterCommit } from '../contract/operation.ts';

/**
 * What operations leave for the time after their commit. The database may run an operation again after a clash, so each attempt has a
 * queue of its own, and only the queue of the attempt that was committed runs.
 */
export class AfterCommitQueue {
  readonly #log: Logger;
  #attempt: (() => unknown)[] = [];
  #isCommitted = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Begins an attempt, and discards what earlier ones have left. */
  begin(): AfterCommit {
    const attempt: (() => unknown)[] = [];
    this.#attempt = attempt;
    return (work) => {
      if (attempt !== this.#attempt || this.#isCommitted) {
        throw new Error(
          'afterCommit was called too late: the operation has ended. Call it before the operation returns.',
        );
      }
      attempt.push(work);
    };
  }

  /** Runs the work of the last attempt in its order, after the response was passed on. Its errors are logged. */
  run(): void {
    this.#isCommitted = true;
    const work = this.#attempt;
    if (work.length > 0) setImmediate(() => void this.#runAll(work));
  }

  async #runAll(work: readonly (() => unknown)[]): Promise<void> {
    for (const each of work) {
      try {
        await each();
      } catch (error) {
        this.#log.error({ err: error }, 'work after a commit failed; the change itself is stored');
      }
    }
  }
}
