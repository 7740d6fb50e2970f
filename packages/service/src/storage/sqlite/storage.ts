import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isNativeError } from 'node:util/types';
import { databaseMissing, type MigrateOption, type Migration, migrationsOf } from '../migrations/migrations.ts';
import { type Storage, StorageSetupError, StorageUnavailableError, type StoreTypes } from '../storage.ts';
import type { Run, StoreDefinition } from '../store-definition.ts';
import { idempotencyTable, type Sender, tableStores } from '../tables.ts';
import {
  MEMORY,
  migrate,
  movedMessage,
  movedTo,
  openReader,
  openWriter,
  runAfter,
  runStatements,
  watchFile,
} from './connection.ts';
import { senderOn, sql } from './tables.ts';
import { WriteQueue } from './write-queue.ts';

/** Milliseconds for which reads do not look for the database file again: that takes as long as reading a row. */
const FILE_CHECK_INTERVAL = 1_000;

/**
 * Opens a database file, or `:memory:`, and brings its tables up to date.
 * @throws StorageSetupError if that is impossible, or the database is newer than this program or was moved
 */
export function openSqlite<Store extends StoreTypes>(
  path: string,
  { name, sqlite }: StoreDefinition<Store>,
  option: MigrateOption,
): Promise<Storage<Store>> {
  if (option === 'existing' && path !== MEMORY && !existsSync(path)) {
    return Promise.reject(databaseMissing(resolve(path), 'does not exist'));
  }
  return withDatabase(path, { name, migrations: sqlite.migrations }, (database, all, file) => {
    migrate(database, all, Date.now(), option);
    return createStorage(database, file, sqlite);
  });
}

export function migrateSqlite<Store extends StoreTypes>(
  path: string,
  { name, sqlite: { migrations } }: StoreDefinition<Store>,
): Promise<string[]> {
  return withDatabase(path, { name, migrations }, (database, all) => {
    const run = migrate(database, all, Date.now());
    database.close();
    return run.map((migration) => migration.name);
  });
}

async function withDatabase<Result>(
  path: string,
  store: { name: string; migrations: URL },
  use: (database: DatabaseSync, migrations: readonly Migration[], file: string) => Result | Promise<Result>,
): Promise<Result> {
  // Before the file is created.
  const migrations = migrationsOf('sqlite', store);
  const file = path === MEMORY ? path : resolve(path);
  try {
    const database = await openWriter(file);
    try {
      return await use(database, migrations, file);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StorageSetupError) throw error;
    const reason = isNativeError(error) ? error.message : String(error);
    throw new StorageSetupError(`The database ${path} cannot be opened: ${reason}.`, { cause: error });
  }
}

/** @param writing an open connection to a database whose tables are up to date */
function createStorage<Store extends StoreTypes>(
  writing: DatabaseSync,
  file: string,
  { reader, writer, onOpen }: StoreDefinition<Store>['sqlite'],
): Storage<Store> {
  const reading = file === MEMORY ? writing : openReader(file);
  const assertFile = watchFile(file);
  const queue = new WriteQueue(writing, assertFile);
  const readWhenIdle: Run = async (statements) => {
    await queue.whenIdle();
    return runStatements(statements);
  };
  // With one connection for both, reads during a transaction would see uncommitted changes.
  const read = reading === writing ? readWhenIdle : runAfter(() => assertFile(FILE_CHECK_INTERVAL));
  for (const database of new Set([reading, writing])) onOpen?.(database);
  const [readOn, writeOn] = [senderOn(reading), senderOn(writing)];
  const sender = readOn(read);
  const transact = <T>(work: (sender: Sender) => Promise<T>) => queue.transact((run) => work(writeOn(run)));
  const check = reading.prepare('SELECT count(*) FROM migrations');
  // Changes with the commits of all other connections. This connection only reads, so it sees every commit.
  const version = reading.prepare('PRAGMA data_version', { returnArrays: true });

  /** The rows of a database that was moved are out of date, so it is not even read. */
  function assertReadable(): void {
    runStatements(() => {
      assertFile();
      check.get();
    });
    const target = movedTo(reading);
    if (target !== undefined) throw new StorageUnavailableError(movedMessage(target), 'the database was moved');
  }

  return {
    reader: reader(sender.send),
    transaction: (work) => transact((inside) => work({ ...writer(inside.send), ...idempotencyTable(sql, inside) })),
    ...tableStores(sql, {
      read: sender,
      readLong: (work) => work(sender),
      write: { send: (...statement) => transact(({ send }) => send(...statement)) },
      transact,
    }),
    dataVersion: () => (reading === writing ? undefined : numberIn(version, assertFile)),
    // All writes wait in one queue, which the limit on operations bounds.
    load: { waiting: () => ({ writes: queue.length }) },
    ping: async () => assertReadable(),
    async close() {
      await queue.close();
      // The writer closes last, because it removes the write-ahead log.
      if (reading.isOpen) reading.close();
      if (writing.isOpen) writing.close();
    },
  };
}

/** The number that a statement returns; undefined if it fails. The query that follows reports the fault. */
function numberIn(statement: StatementSync, assertFile: (interval: number) => void): number | undefined {
  try {
    assertFile(FILE_CHECK_INTERVAL);
    const value = Object.values(statement.get() ?? {})[0];
    return typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}
