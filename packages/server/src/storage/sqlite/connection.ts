import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { StorageSetupError, StorageUnavailableError } from '../storage.ts';
import { isBusy } from './failure.ts';

export const MEMORY = ':memory:';

/** How long another process may hold a lock, in milliseconds. */
export const PATIENCE = 5_000;

const RETRY = 5;

/**
 * The connection that writes. Makes the folder and the file where they are missing.
 * @throws an error of the file system or the engine
 */
export async function openWriter(path: string): Promise<DatabaseSync> {
  if (path !== MEMORY) makeFolder(dirname(path));
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: PATIENCE });
  try {
    if (path !== MEMORY) await useWriteAheadLog(database);
    // In WAL mode FULL syncs the log at each commit: what was committed survives a power failure.
    database.exec('PRAGMA synchronous = FULL');
    assertWritable(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A file that may only be read opens like any other; better no start than a server that refuses each creation. */
function assertWritable(database: DatabaseSync): void {
  const version = database.prepare('PRAGMA user_version', { returnArrays: true }).get()?.[0];
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`PRAGMA user_version = ${version}`);
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/**
 * Only the owner looks into a folder that is made here. One that exists stays as it is. Folder by folder, because
 * `mkdirSync` with `recursive` never returns where the system cannot make any, as below /proc.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (isFolder(folder)) return;
    const code = isNativeError(error) && 'code' in error ? error.code : error;
    throw new Error(`its folder cannot be made (${code})`, { cause: error });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A connection that only reads, and only what is committed. The file must exist and be in WAL mode. */
export function openReader(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: PATIENCE });
  // 32 MB instead of 2: a catalogue of 100,000 animals fits.
  database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -32000');
  return database;
}

/** The engine does not wait by itself when two processes change the journal mode of a new file at once. */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      const mode = database.prepare('PRAGMA journal_mode = WAL', { returnArrays: true }).get()?.[0];
      if (mode === 'wal') return;
      throw new StorageSetupError(`The file system of the database does not support write-ahead logging (${mode}).`);
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await setTimeout(RETRY);
  }
}

/**
 * A check that the file is still the one that was opened. Taken away or replaced, the connection goes on with a file
 * that nobody finds again.
 */
export function watchFile(path: string): () => void {
  if (path === MEMORY) return () => {};
  const opened = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === opened.ino && now.dev === opened.dev) return;
    throw new StorageUnavailableError(new Error('The database file was removed or replaced.'));
  };
}
