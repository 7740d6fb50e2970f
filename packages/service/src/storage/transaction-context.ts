import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/** The operation has returned or failed, but part of it still runs. */
const TRANSACTION_OVER =
  'The transaction is over, so storage can no longer be used. Await each use of storage before the operation returns.';

/** Tracks whether the running code belongs to an open transaction of a storage. */
export class TransactionContext {
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>();

  /** @throws inside an open transaction: another one would wait for the first, which waits for it */
  assertOutside(): void {
    if (this.#current.getStore()?.isOpen !== true) return;
    throw new Error('A transaction cannot wait for another one of the same storage: it would wait for itself.');
  }

  /** Opens the scope in which the work of a transaction may use its connection. */
  openScope() {
    const state = { isOpen: true };
    // AsyncLocalStorage.snapshot captures the same context, but takes as long as a whole insert.
    const context = this.#current.run(state, () => new AsyncResource('Transaction'));
    return {
      run: <T>(work: () => T): T => context.runInAsyncScope(work),
      /** @throws once the scope is closed: a statement that the work did not await must not reach another transaction */
      assertOpen() {
        if (!state.isOpen) throw new Error(TRANSACTION_OVER);
      },
      close() {
        state.isOpen = false;
      },
    };
  }
}
