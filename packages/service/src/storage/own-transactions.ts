import type { Storage, StoreTypes } from './storage.ts';

/** Transactions that code begins itself. After `close`, none begins, and none commits unless its COMMIT was already sent. */
export function ownTransactions<Store extends StoreTypes>(storage: Pick<Storage<Store>, 'transaction'>) {
  let open = 0;
  let isClosed = false;

  function assertNotClosed(): void {
    if (isClosed)
      throw new Error('It is too late for a transaction. Await each transaction(…) before the code returns.');
  }

  async function transact<Value>(work: (writer: Store['writer']) => Promise<Value>): Promise<Value> {
    assertNotClosed();
    open += 1;
    try {
      return await storage.transaction(async (writer) => {
        const value = await work(writer);
        assertNotClosed();
        return value;
      });
    } finally {
      open -= 1;
    }
  }

  return {
    transaction<Value>(work: (writer: Store['writer']) => Promise<Value>): Promise<Value> {
      const value = transact(work);
      // If the code does not await it, `close` tells.
      value.catch(() => {});
      return value;
    },
    /** Returns the number of transactions that are still open. */
    close(): number {
      isClosed = true;
      return open;
    },
  };
}
