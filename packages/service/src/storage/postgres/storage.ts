import { setTimeout } from 'node:timers/promises';
import { timeouts } from '../../common/time.ts';
import type { MigrateOption } from '../migrations/migrations.ts';
import { OutcomeUnknownError, type Storage, StorageUnavailableError, type StoreTypes } from '../storage.ts';
import {
  type PostgresStore,
  type Send,
  type Statement,
  type StoreDefinition,
  statements,
} from '../store-definition.ts';
import { idempotencyTable, type Sender, tableStores } from '../tables.ts';
import { TransactionContext } from '../transaction-context.ts';
import type { Connection } from './connection.ts';
import { isAnswer, isClash, UndoneError } from './errors.ts';
import { GroupedTransactions } from './grouped-transactions.ts';
import { type ConnectionPool, createPool } from './pool.ts';
import { createReadProbe, createWriteProbe, type Probe } from './probe.ts';
import { setUp } from './set-up.ts';
import { senderBy, sql as tables } from './tables.ts';

/** Milliseconds before a transaction that clashed with another one runs again. */
const CLASH_DELAY = 10;

const sql = statements('storage', {
  // Until the transaction ends.
  setStatementTimeout: "SELECT set_config('statement_timeout', $1, true)",
});

/**
 * Opens a database of PostgreSQL 15 or newer, and brings its tables up to date.
 * @throws StorageSetupError if that is impossible, or the database is newer than this program
 */
export async function openPostgres<Store extends StoreTypes>(
  databaseUrl: string,
  { name, postgres: { migrations, ...store } }: StoreDefinition<Store>,
  option: MigrateOption,
): Promise<Storage<Store>> {
  await setUp(databaseUrl, { name, migrations }, option);
  const pool = createPool(databaseUrl, name);
  const database = { databaseUrl, service: name };
  const probes = { reads: createReadProbe(database, pool), writes: createWriteProbe(database, pool) };
  return createStorage(pool, probes, store);
}

/** The kind of work of a statement outside transactions: the table that it reads, so that a locked table delays only its readers. */
function kindOf({ name }: Statement): string {
  return name.slice(0, name.indexOf('.'));
}

function createStorage<Store extends StoreTypes>(
  pool: ConnectionPool,
  probes: { reads: Probe; writes: Probe },
  store: PostgresStore<Store>,
): Storage<Store> {
  const context = new TransactionContext();
  const send: Send = (...query) => pool.send(kindOf(query[0]), ...query);
  /** For statements that write outside of transactions, so that they leave connections to those that read. */
  const write: Send = (...query) => pool.use('maintenance', (connection) => connection.send(...query));
  const transact = <T>(work: (send: Send) => Promise<T>, kind = 'maintenance') =>
    runTransaction((call) => pool.use(kind, call), context, work);
  const grouped = new GroupedTransactions({
    use: (call) => pool.use('transactions', call),
    alone: (work) => transact(work, 'transactions'),
    context,
    commit,
  });
  pool.onAway((error) => grouped.refuseWaiting(error));
  /** For reading a whole table. */
  const readLong = <T>(read: (sender: Sender) => Promise<T>) =>
    transact(async (send) => {
      await send(sql.setStatementTimeout, [String(timeouts.wholeTable)]);
      return read(senderBy((statement, values) => send(statement, values, timeouts.wholeTable)));
    });

  function waiting(): Record<string, number> {
    const { transactions = 0, ...others } = pool.load.waiting();
    return { ...others, transactions: transactions + grouped.waiting };
  }

  return {
    reader: store.reader(send),
    async transaction(work, name) {
      context.assertOutside();
      const run = (send: Send) => work({ ...store.writer(send), ...idempotencyTable(tables, { send }) });
      return name === undefined ? transact(run, 'transactions') : grouped.run(name, run);
    },
    ...tableStores(tables, {
      read: senderBy(send),
      readLong,
      write: { send: write },
      transact: (work) => transact((send) => work(senderBy(send))),
    }),
    sharedDatabase: pool,
    load: { ...pool.load, waiting },
    dataVersion: () => undefined,
    ping: probes.reads.check,
    checkWrites: probes.writes.check,
    async close() {
      await grouped.whenIdle();
      await Promise.all([pool.close(), probes.reads.close(), probes.writes.close()]);
    },
  };
}

/** Runs `work` in a transaction, and once more if it clashed with another one. */
async function runTransaction<T>(
  use: (call: (connection: Connection) => Promise<T>) => Promise<T>,
  context: TransactionContext,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  const attempt = () => use((connection) => runOn(connection, context, work));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Error && isClash(error.cause))) throw error;
  }
  // Otherwise this attempt could take the lock that the other transaction waits for, and both would clash again.
  await setTimeout(CLASH_DELAY);
  return attempt();
}

async function runOn<T>(
  connection: Connection,
  context: TransactionContext,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  await connection.command('BEGIN');
  const scope = context.openScope();
  let result: T;
  try {
    result = await scope.run(() =>
      work(async (...query) => {
        scope.assertOpen();
        return connection.send(...query);
      }),
    );
  } catch (error) {
    scope.close();
    // If the ROLLBACK fails as well, the connection is closed, and the engine rolls back.
    await connection.command('ROLLBACK').catch(() => {});
    throw error;
  }
  scope.close();
  await commit(connection);
  return result;
}

async function commit(connection: Connection): Promise<void> {
  let done: string;
  try {
    done = await connection.command('COMMIT');
  } catch (error) {
    const cause = error instanceof StorageUnavailableError ? error.cause : error;
    // If the engine reported the error itself, nothing was committed.
    throw isAnswer(cause) ? error : new OutcomeUnknownError(cause);
  }
  // If the work caught the error of a statement, the engine has rolled back, and reports that only here.
  if (done !== 'COMMIT') throw new UndoneError(new Error('The engine undid the transaction.'));
}
