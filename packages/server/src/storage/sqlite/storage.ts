import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { readMigrations } from '../migrations.ts';
import { type KeyStore, type Storage, StorageSetupError, type UsageStore } from '../storage.ts';
import { integer } from '../values.ts';
import { MEMORY, openReader, openWriter, watchFile } from './connection.ts';
import { ask } from './failure.ts';
import { migrate } from './migrate.ts';
import { type IdempotencyTable, idempotencyTable } from './tables/idempotency.ts';
import { type KeyTable, keyTable } from './tables/keys.ts';
import { orderTable } from './tables/orders.ts';
import { petTable } from './tables/pets.ts';
import { type UsageTable, usageTable } from './tables/usage.ts';
import { type Ask, readerOf, runWork } from './transaction.ts';
import { Writer } from './writer.ts';

const migrationFolder = new URL('../../operations/storage/migrations/sqlite/', import.meta.url);

/** Rows that are changed in one go, at most; then other calls get their turn. */
const CHUNK = 1_000;

/**
 * Opens a database file, or `:memory:`, and brings its tables up to date.
 * @param path relative to the working directory; folder and file are made where they are missing
 * @throws StorageSetupError when that is impossible, or the database is newer than this program
 */
export async function openSqlite(path: string): Promise<Storage> {
  const file = path === MEMORY ? path : resolve(path);
  try {
    const database = await openWriter(file);
    try {
      migrate(database, readMigrations(migrationFolder), Date.now());
      return createStorage(database, file);
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

/** The storage on a connection that is ready to be written to. */
function createStorage(database: DatabaseSync, file: string): Storage {
  const reading = file === MEMORY ? database : openReader(file);
  const assertFile = watchFile(file);
  const writer = new Writer(database, assertFile);
  const [keys, usage] = [keyTable(reading), usageTable(reading)];
  const writing = { pets: petTable(database), orders: orderTable(database), responses: idempotencyTable(database) };

  const read: Ask = async (question) => {
    // On the only connection, reads would see what is not committed yet.
    if (reading === database) await writer.pause();
    return ask(question);
  };
  const check = reading.prepare('SELECT count(*) FROM migrations');
  // It counts what other connections commit, in this process or another (https://sqlite.org/pragma.html#pragma_data_version).
  const dataVersion = reading.prepare('PRAGMA data_version', { returnArrays: true });

  return {
    reader: readerOf({ pets: petTable(reading), orders: orderTable(reading) }, read),
    // The only connection does not count its own.
    version: () => (reading === database ? undefined : ask(() => integer(dataVersion.get()?.[0]))),
    transaction: (work) => writer.transact(() => runWork(writing, work)),
    keys: keyStore(read, keys, writer, keyTable(database)),
    usage: {
      load: (day, bannedSince) => read(() => usage.load(day, bannedSince)),
      save: saveUsage(writer, usageTable(database)),
    },
    deleteIdempotencyRecords: deleteIdempotencyRecords(writer, writing.responses),
    ping: () =>
      read(() => {
        assertFile();
        check.get();
      }),
    async close() {
      await writer.close();
      // The writer last: it takes the write-ahead log away.
      if (reading.isOpen) reading.close();
      if (database.isOpen) database.close();
    },
  };
}

function keyStore(read: Ask, reading: KeyTable, writer: Writer, writing: KeyTable): KeyStore {
  const write = (change: () => void) => writer.transact(async () => ask(change));
  return {
    findBySecret: (hash) => read(() => reading.findBySecret(hash)),
    find: (id) => read(() => reading.find(id)),
    list: () => read(() => reading.list()),
    add: (key, secret) => write(() => writing.add(key, secret)),
    rotate: (id, secret, olderEndAt) => write(() => writing.rotate(id, secret, olderEndAt)),
    revoke: (id, at) => write(() => writing.revoke(id, at)),
  };
}

function saveUsage(writer: Writer, usage: UsageTable): UsageStore['save'] {
  return (records) =>
    writer.transact(async () => {
      for (const [index, record] of records.entries()) {
        if (index > 0 && index % CHUNK === 0) await setImmediate();
        ask(() => usage.save(record));
      }
    });
}

function deleteIdempotencyRecords(writer: Writer, responses: IdempotencyTable): Storage['deleteIdempotencyRecords'] {
  return async (before) => {
    let forgotten = CHUNK;
    while (forgotten === CHUNK) {
      forgotten = await writer.transact(async () => ask(() => responses.forget(before, CHUNK)));
    }
  };
}
