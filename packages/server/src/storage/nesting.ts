import { AsyncLocalStorage } from 'node:async_hooks';

/** Knows whether the code that runs now belongs to a transaction of a storage that is not over yet. */
export class Nesting {
  readonly #inside = new AsyncLocalStorage<{ running: boolean }>();

  /** The error for a transaction inside of another one. */
  static refusal(): Error {
    return new Error('A transaction cannot wait for another one of the same storage: it would wait for itself.');
  }

  isInside(): boolean {
    return this.#inside.getStore()?.running === true;
  }

  /** Runs the work of a transaction. What it leaves behind is no longer inside when it is over. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const scope = { running: true };
    try {
      return await this.#inside.run(scope, work);
    } finally {
      scope.running = false;
    }
  }
}
