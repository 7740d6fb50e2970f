import { timeouts, withTimeout } from '../../common/time.ts';
import type { MigrateOption } from '../migrations/migrations.ts';
import type { Storage, StoreTypes } from '../storage.ts';
import { type EngineStore, type Send, type StoreDefinition, statements } from '../store-definition.ts';
import { idempotencyTable, type Sender, tableStores } from '../tables.ts';
import { translate } from './errors.ts';
import { type ConnectionPools, createPools } from './pool.ts';
import { setUp } from './set-up.ts';
import { type DatabaseLimits, defaultLimits } from './settings.ts';
import { senderBy, sql as tables } from './tables.ts';
import { Transactions } from './transactions.ts';

const sql = statements('storage', {
  // Until the transaction ends.
  setStatementTimeout: "SELECT set_config('statement_timeout', $1, true)",
  ping: 'SELECT 1',
});

/**
 * Opens a database of PostgreSQL 15 or newer, and brings its tables up to date.
 * @throws StorageSetupError if that is impossible, or the database is newer than this program
 */
export async function openPostgres<Store extends StoreTypes>(
  databaseUrl: string,
  { name, postgres: { migrations, ...store } }: StoreDefinition<Store>,
  option: MigrateOption,
  limits: DatabaseLimits = defaultLimits(),
): Promise<Storage<Store>> {
  await setUp(databaseUrl, { name, migrations }, option, limits);
  const pools = createPools(databaseUrl, name, limits);
  await pools.open().catch(async (error: unknown) => {
    await pools.close();
    throw error;
  });
  return createStorage(pools, store);
}

function createStorage<Store extends StoreTypes>(pools: ConnectionPools, store: EngineStore<Store>): Storage<Store> {
  const { read, write, load } = pools;
  const transactions = new Transactions(pools);
  const transact = <T>(work: (send: Send) => Promise<T>) => transactions.runAlone(work);
  const readLong = <T>(read: (sender: Sender) => Promise<T>) =>
    transact(async (send) => {
      await send(sql.setStatementTimeout, [String(timeouts.wholeTable)]);
      return read(senderBy((statement, values) => send(statement, values, timeouts.wholeTable)));
    });
  /** Waits for a connection like any other call. */
  const ping = async () => {
    await withTimeout(read(sql.ping), timeouts.probe).catch((error) => {
      throw translate(error);
    });
  };
  let pinging: Promise<void> | undefined;

  return {
    reader: store.reader(read),
    transaction: (work, isCreation = false) =>
      transactions.run((send) => work({ ...store.writer(send), ...idempotencyTable(tables, { send }) }), isCreation),
    ...tableStores(tables, {
      read: senderBy(read),
      readLong,
      write: { send: (...query) => write(({ send }) => send(...query)) },
      transact: (work) => transact((send) => work(senderBy(send))),
    }),
    sharedDatabase: { use: write },
    load: { ...load, waiting: () => ({ ...load.waiting(), transactions: transactions.waiting }) },
    dataVersion: () => undefined,
    ping() {
      // Anyone may ask for readiness as often as they like.
      pinging ??= ping().finally(() => {
        pinging = undefined;
      });
      return pinging;
    },
    async close() {
      await transactions.whenIdle();
      await pools.close();
    },
  };
}
