import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/** Knows whether the code that runs now belongs to a transaction of a storage that is not over yet. */
export class TransactionContext {
  readonly #inside = new AsyncLocalStorage<{ running: boolean }>();

  /** The error for a transaction inside of another one. */
  static refusal(): Error {
    return new Error('A transaction cannot wait for another one of the same storage: it would wait for itself.');
  }

  isInside(): boolean {
    return this.#inside.getStore()?.running === true;
  }

  /**
   * The work of a transaction, to be run once, in the async context of whoever binds it. What it leaves behind is no longer
   * inside when it is over.
   */
  bind<T>(work: () => Promise<T>): () => Promise<T> {
    const scope = { running: true };
    // AsyncLocalStorage.snapshot takes the same context, for the price of the whole work.
    const context = this.#inside.run(scope, () => new AsyncResource('Transaction'));
    return async () => {
      try {
        return await context.runInAsyncScope(work);
      } finally {
        scope.running = false;
      }
    };
  }
}
