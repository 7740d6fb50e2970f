import { OutcomeUnknownError, StorageUnavailableError, type Transaction } from '../storage.ts';
import { type Connection, type ConnectionPool, lost } from './connection/pool.ts';
import type { Send } from './connection/statement.ts';
import { isAnswer, isClash } from './failure.ts';
import { idempotencyTable } from './tables/idempotency.ts';
import { orderTable } from './tables/orders.ts';
import { petTable } from './tables/pets.ts';

/** Runs `work` in a transaction, once more when it clashed with another one. */
export async function transact<T>(pool: ConnectionPool, work: (send: Send) => Promise<T>): Promise<T> {
  try {
    return await pool.use((connection) => transactOn(connection, work));
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!isClash(cause)) throw error;
  }
  return pool.use((connection) => transactOn(connection, work));
}

async function transactOn<T>(connection: Connection, work: (send: Send) => Promise<T>): Promise<T> {
  await connection.command('BEGIN');
  let result: T;
  try {
    result = await whileOpen(connection.send, work);
  } catch (error) {
    // Where that fails too, the connection is given up, and the engine undoes what was on it.
    await connection.command('ROLLBACK').catch(() => {});
    throw error;
  }
  await commit(connection);
  return result;
}

async function commit(connection: Connection): Promise<void> {
  let done: string;
  try {
    done = await connection.command('COMMIT');
  } catch (error) {
    const cause = error instanceof StorageUnavailableError ? error.cause : error;
    // Where the engine itself says no, nothing has happened.
    throw isAnswer(cause) ? error : new OutcomeUnknownError(cause);
  }
  // A work that caught the error of a statement: the engine has given up the transaction then, and says so only here.
  if (done !== 'COMMIT') throw lost('The engine undid the transaction.');
}

/** Lets a work use its connection until it is done: what it forgot to wait for must not meet another transaction. */
async function whileOpen<T>(send: Send, work: (send: Send) => Promise<T>): Promise<T> {
  let over = false;
  try {
    return await work(async (...question) => {
      if (over) throw new Error('The transaction is over.');
      return send(...question);
    });
  } finally {
    over = true;
  }
}

/** The transaction as its work sees it. What it reads by id it locks, so that nothing changes under its decision. */
export function transactionOn(send: Send): Transaction {
  const [pets, orders, responses] = [petTable(send), orderTable(send), idempotencyTable(send)];
  return {
    listPets: pets.list,
    findPet: pets.findAndLock,
    listOrders: orders.list,
    findOrder: orders.findAndLock,
    addPet: pets.add,
    setPetStatus: pets.setStatus,
    addOrder: orders.add,
    setOrderStatus: orders.setStatus,
    findIdempotencyRecord: responses.findAndLock,
    saveIdempotencyRecord: responses.keep,
  };
}
