import type { KeyStore, Reader, Storage, UsageStore } from '../storage.ts';
import { TransactionContext } from '../transaction-context.ts';
import { type ConnectionPool, createPool, lost } from './connection/pool.ts';
import { CHUNK } from './connection/settings.ts';
import { type Send, statements } from './connection/statement.ts';
import { createCounters } from './counters.ts';
import { setUp } from './set-up.ts';
import { idempotencyTable } from './tables/idempotency.ts';
import { keyTable } from './tables/keys.ts';
import { orderTable } from './tables/orders.ts';
import { petTable } from './tables/pets.ts';
import { usageTable } from './tables/usage.ts';
import { transact, transactionOn } from './transaction.ts';

/** How long reading a whole table may take, in milliseconds. */
const WHOLE_TABLE = 60_000;

const sql = statements('storage', {
  ping: 'SHOW transaction_read_only',
  // Until the transaction ends.
  waitLonger: "SELECT set_config('statement_timeout', $1, true)",
});

/**
 * Opens a database of PostgreSQL 15 or newer, and brings its tables up to date.
 * @throws StorageSetupError when that is impossible, or the database is newer than this program
 */
export async function openPostgres(databaseUrl: string): Promise<Storage> {
  await setUp(databaseUrl);
  return createStorage(createPool(databaseUrl));
}

function createStorage(pool: ConnectionPool): Storage {
  const transactionContext = new TransactionContext();
  const send: Send = (...question) => pool.use((connection) => connection.send(...question));

  return {
    reader: readerOn(send),
    version: () => undefined,
    async transaction(work) {
      if (transactionContext.isInside()) throw TransactionContext.refusal();
      return transact(pool, (send) => transactionContext.bind(() => work(transactionOn(send)))());
    },
    keys: keyStore(pool, send),
    usage: usageStore(pool),
    counters: createCounters(pool),
    async deleteIdempotencyRecords(before) {
      const responses = idempotencyTable(send);
      while ((await responses.forget(before, CHUNK)) === CHUNK);
    },
    async ping() {
      const { rows } = await send(sql.ping);
      if (rows[0]?.[0] !== 'off') throw lost('The database only reads.');
    },
    close: pool.close,
  };
}

function readerOn(send: Send): Reader {
  const [pets, orders] = [petTable(send), orderTable(send)];
  return { listPets: pets.list, findPet: pets.find, listOrders: orders.list, findOrder: orders.find };
}

function keyStore(pool: ConnectionPool, send: Send): KeyStore {
  const keys = keyTable(send);
  return {
    findBySecret: keys.findBySecret,
    find: keys.find,
    list: () => patiently(pool, (send) => keyTable(send).list()),
    add: (key, secret) => transact(pool, (send) => keyTable(send).add(key, secret)),
    rotate: (id, secret, olderEndAt) => transact(pool, (send) => keyTable(send).rotate(id, secret, olderEndAt)),
    revoke: keys.revoke,
  };
}

function usageStore(pool: ConnectionPool): UsageStore {
  return {
    load: (day, bannedSince) => patiently(pool, (send) => usageTable(send).load(day, bannedSince)),
    save: (records) =>
      transact(pool, async (send) => {
        for (let index = 0; index < records.length; index += CHUNK) {
          await usageTable(send).save(records.slice(index, index + CHUNK));
        }
      }),
  };
}

/** For reading a whole table, at a start or for an operator. */
function patiently<T>(pool: ConnectionPool, read: (send: Send) => Promise<T>): Promise<T> {
  return transact(pool, async (send) => {
    await send(sql.waitLonger, [String(WHOLE_TABLE)]);
    return read((statement, values) => send(statement, values, WHOLE_TABLE));
  });
}
