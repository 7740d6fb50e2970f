import type { RunTransaction, Storage, StoreTypes } from './storage.ts';

/**
 * Runs code that begins its transactions itself. After it has ended, none begins, and none commits unless its COMMIT was already sent.
 * @throws Error if the code returned while one of them was open
 */
export async function withOwnTransactions<Store extends StoreTypes, Result>(
  storage: Pick<Storage<Store>, 'transaction'>,
  run: (transaction: RunTransaction<Store>) => Promise<Result>,
): Promise<Result> {
  let open = 0;
  let isOver = false;

  function assertNotOver(): void {
    if (isOver) throw new Error('It is too late for a transaction. Await each transaction(…) before the code returns.');
  }

  async function transact<Value>(work: (writer: Store['writer']) => Promise<Value>): Promise<Value> {
    assertNotOver();
    open += 1;
    try {
      return await storage.transaction(async (writer) => {
        const value = await work(writer);
        assertNotOver();
        return value;
      });
    } finally {
      open -= 1;
    }
  }

  try {
    const result = await run((work) => {
      const value = transact(work);
      // If the code does not await it, the error below says so.
      value.catch(() => {});
      return value;
    });
    if (open > 0) throw new Error('The code returned while a transaction was open. Await each transaction(…).');
    return result;
  } finally {
    isOver = true;
  }
}
