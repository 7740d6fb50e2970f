import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import {
  assertOwnDatabase,
  checksum,
  databaseMissing,
  isAdditive,
  type MigrateOption,
  type Migration,
  migrationFailed,
  migrationMissing,
  pendingMigrations,
} from '../migrations/migrations.ts';
import { StorageSetupError, StorageUnavailableError, type UnavailableReason } from '../storage.ts';

export const MEMORY = ':memory:';

/** How long another process may hold a lock, in milliseconds. */
export const LOCK_TIMEOUT = 5_000;

/** Milliseconds between two attempts to get a lock from another process. */
const RETRY = 2;

/**
 * Opens the connection that writes. Creates the folder and the file if they are missing. A database of another program is not changed.
 * @throws StorageSetupError for a database of another program, or an error of the file system or the engine
 */
export async function openWriter(path: string): Promise<DatabaseSync> {
  if (path !== MEMORY) makeFolder(dirname(path));
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: LOCK_TIMEOUT });
  try {
    await retryWhileBusy(LOCK_TIMEOUT, () => assertOwn(database));
    if (path !== MEMORY) await useWriteAheadLog(database);
    // In WAL mode, FULL syncs the log at each commit, so that committed data survives a power failure.
    database.exec('PRAGMA synchronous = FULL');
    assertWritable(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Only its owner can read a new folder. Not with `recursive`, which never returns where no folder can be made, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(folder)) throw error;
  }
}

function assertOwn(database: DatabaseSync): void {
  const names = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(({ name }) => String(name));
  assertOwnDatabase(
    names("SELECT name FROM pragma_table_info('migrations')"),
    names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"),
  );
}

/** SQLite opens a read-only file without an error, but a server that cannot write must not start. */
function assertWritable(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = database.prepare('PRAGMA user_version', { returnArrays: true }).get()?.[0];
    database.exec(`PRAGMA user_version = ${version}`);
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/** Opens a read-only connection, which sees committed data only. The file must exist and be in WAL mode. */
export function openReader(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  // 32 MB instead of 2: a table of 100,000 short rows fits.
  database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -32000');
  return database;
}

/** SQLite does not wait for a lock by itself when two processes change the journal mode of a new file at once. */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  await retryWhileBusy(LOCK_TIMEOUT, () => {
    const mode = database.prepare('PRAGMA journal_mode = WAL', { returnArrays: true }).get()?.[0];
    if (mode === 'wal') return;
    throw new StorageSetupError(`The file system of the database does not support write-ahead logging (${mode}).`);
  });
}

/** Repeats an attempt while another connection holds the lock, for at most `timeoutMs`. Does not block the process. */
export async function retryWhileBusy(timeoutMs: number, attempt: () => void): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await setTimeout(RETRY);
  }
}

/**
 * Returns a function that throws if the file is no longer the one that was opened: the connection would still write,
 * but to an unlinked file. With an interval in milliseconds, it looks at the file at most once in that time.
 */
export function watchFile(path: string): (interval?: number) => void {
  if (path === MEMORY) return () => {};
  const opened = statSync(path);
  let checkedAt = performance.now();
  return (interval = 0) => {
    const time = performance.now();
    if (time - checkedAt < interval) return;
    const now = statSync(path, { throwIfNoEntry: false });
    checkedAt = time;
    if (now?.ino === opened.ino && now.dev === opened.dev) return;
    checkedAt = Number.NEGATIVE_INFINITY;
    throw new StorageUnavailableError(new Error('The database file was removed or replaced.'));
  };
}

/**
 * Runs the migrations that the database does not have yet, all or none, and returns them. Several processes may start
 * at once.
 */
export function migrate(
  database: DatabaseSync,
  migrations: readonly Migration[],
  now: number,
  option: MigrateOption = 'on-start',
): readonly Migration[] {
  database.exec('BEGIN IMMEDIATE');
  try {
    const target = movedTo(database);
    if (target !== undefined) throw new StorageSetupError(movedMessage(target));
    const history = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'");
    if (option === 'existing' && history.get() === undefined) {
      throw databaseMissing(database.location() ?? MEMORY, 'has no tables');
    }
    createHistory(database);
    const select = database.prepare('SELECT name, checksum, additive FROM migrations ORDER BY number', {
      returnArrays: true,
    });
    const pending = pendingMigrations(select.all(), migrations);
    if (pending[0] !== undefined && option === 'never') throw migrationMissing(pending[0]);
    const record = database.prepare(
      `INSERT INTO migrations (number, name, checksum, applied_at, additive)
        SELECT ifnull(max(number), 0) + 1, ?, ?, ?, ? FROM migrations`,
    );
    for (const migration of pending) {
      run(database, migration);
      record.run(migration.name, checksum(migration), now, isAdditive(migration) ? 1 : 0);
    }
    database.exec('COMMIT');
    return pending;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function createHistory(database: DatabaseSync): void {
  database.exec(`CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
  const column = "SELECT 1 FROM pragma_table_info('migrations') WHERE name = 'additive'";
  if (database.prepare(column).get() !== undefined) return;
  database.exec('ALTER TABLE migrations ADD COLUMN additive INTEGER NOT NULL DEFAULT 0');
}

/** The database to which `npm run move` has moved this one; undefined if it has not. */
export function movedTo(database: DatabaseSync): string | undefined {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'moved'").get() === undefined) return undefined;
  return String(database.prepare('SELECT target FROM moved', { returnArrays: true }).get()?.[0]);
}

/** Why a moved database takes no writes. Its triggers give the same reason to servers that were running during the move. */
export function movedMessage(target: string): string {
  return `The database was moved to ${target} and takes no more writes. Set DATABASE_URL to the target.`;
}

function run(database: DatabaseSync, migration: Migration): void {
  try {
    database.exec(migration.sql);
  } catch (error) {
    if (translate(error) instanceof StorageUnavailableError) throw error;
    throw migrationFailed('SQLite', migration, error);
  }
}

const BUSY = 5;
const LOCKED = 6;

/**
 * Result codes about the engine, not the statement: INTERNAL, PERM, ABORT, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT,
 * IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, SCHEMA, NOLFS, NOTADB. The others are our own mistakes and stay unchanged.
 */
const UNAVAILABLE = new Set([2, 3, 4, BUSY, LOCKED, 7, 8, 9, 10, 11, 13, 14, 15, 17, 22, 26]);

function extendedCode(error: unknown): number | undefined {
  const code = isNativeError(error) && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** The primary result code, which is the low byte of the extended one. */
function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** The extended code of RAISE(ABORT) in a trigger. The only triggers that raise are those of a moved database. */
const CONSTRAINT_TRIGGER = 1811;

/** The error for the callers of the storage: StorageUnavailableError if the engine cannot answer. */
export function translate(error: unknown): unknown {
  if (extendedCode(error) === CONSTRAINT_TRIGGER) return new StorageUnavailableError(error, 'the database was moved');
  const code = resultCode(error);
  if (code !== undefined && UNAVAILABLE.has(code)) return new StorageUnavailableError(error, reasonOf(error));
  // The connection of the statement was closed.
  const isClosed = isNativeError(error) && 'code' in error && error.code === 'ERR_INVALID_STATE';
  return isClosed ? new StorageUnavailableError(error) : error;
}

/** READONLY; FULL, which a quota of the file system causes as well; any other failure of a write. */
export function reasonOf(error: unknown): UnavailableReason {
  const code = resultCode(error);
  if (code === 8) return 'the database only reads';
  return code === 13 ? 'the disk of the database is full' : 'writes to the database fail';
}

export function runStatements<Result>(statements: () => Result): Result {
  try {
    return statements();
  } catch (error) {
    throw translate(error);
  }
}

/** Returns a function that runs statements at once, after a check. It gives promises, because other engines answer later. */
export function runAfter(check: () => void): <Result>(statements: () => Result) => Promise<Result> {
  return async (statements) => {
    check();
    return runStatements(statements);
  };
}
