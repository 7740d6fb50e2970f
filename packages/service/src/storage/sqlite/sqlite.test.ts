import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { memoryDatabaseUrl } from '../open.ts';
import { StorageUnavailableError } from '../storage.ts';
import { gate, opener } from '../suite/engine.ts';
import { describeDurability, describeStorage } from '../suite/index.ts';
import { openNotes } from '../suite/notes.ts';
import { isBusy, openReader, openWriter, runStatements, translate } from './connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const freshPath = () => {
  count += 1;
  return join(folder, `new-${count}`, 'field-notes.db');
};
const file = { freshUrl: () => `sqlite:${freshPath()}`, isSerial: true };

describeStorage('a SQLite file', file);
describeDurability('a SQLite file', file);
describeStorage('SQLite in memory', { freshUrl: () => memoryDatabaseUrl, isSerial: true });

describe('SQLite in memory', () => {
  test('is not durable: each storage has its own data, which is lost when it is closed', async () => {
    const [one, other] = [await openNotes(memoryDatabaseUrl), await openNotes(memoryDatabaseUrl)];
    await one.transaction((transaction) => transaction.addNote({ text: 'Buy tea' }));
    expect(await other.reader.listNotes()).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });
});

describe('a SQLite file', () => {
  const open = opener(file);

  test('is created with its folder, which only its owner can read', async () => {
    const path = freshPath();
    await open(`sqlite:${path}`);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  test('leaves no write-ahead log behind when it is closed', async () => {
    const path = freshPath();
    const storage = await openNotes(`sqlite:${path}`);
    await storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' }));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await storage.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('is read while a transaction is running', async () => {
    const storage = await open();
    const { opened, open: end } = gate();
    const running = storage.transaction(() => opened);
    expect(await storage.reader.listNotes()).toEqual([]);
    await storage.ping();
    end();
    await running;
  });

  test('with a value that no version stores is not said to be unavailable', async () => {
    const path = freshPath();
    const storage = await open(`sqlite:${path}`);
    using other = new DatabaseSync(path);
    other.exec("INSERT INTO settings (name, value) VALUES ('mode', 'both')");
    await expect(storage.keys.mode()).rejects.toMatchObject({ reason: 'the database holds a wrong value' });
  });

  test('that was removed fails the ping', async () => {
    const path = freshPath();
    const storage = await open(`sqlite:${path}`);
    rmSync(path);
    await expect(storage.ping()).rejects.toBeInstanceOf(StorageUnavailableError);
  });

  test('that was removed accepts no write that would be lost; after it is restored, writes work again', async () => {
    const path = freshPath();
    const storage = await open(`sqlite:${path}`);
    renameSync(path, `${path}.away`);
    const results = await Promise.allSettled([
      storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' })),
      storage.keys.revoke('key_1', 1),
      storage.usage.save([]),
      storage.deleteIdempotencyRecords(1),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailableError) });
    }
    renameSync(`${path}.away`, path);
    expect(await storage.reader.listNotes()).toEqual([]);
    expect((await storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' }))).id).toBe(1);
  });

  test('that is removed during a transaction rolls it back', async () => {
    const path = freshPath();
    const storage = await open(`sqlite:${path}`);
    const running = storage.transaction(async (transaction) => {
      await transaction.addNote({ text: 'Buy tea' });
      renameSync(path, `${path}.away`);
    });
    await expect(running).rejects.toBeInstanceOf(StorageUnavailableError);
    renameSync(`${path}.away`, path);
    expect(await storage.reader.listNotes()).toEqual([]);
  });
});

function settingsOf(database: DatabaseSync) {
  const ask = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  return Object.fromEntries(
    ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map((name) => [name, ask(name)]),
  );
}

test('the writer syncs at each commit, waits for locks and checks foreign keys', async () => {
  const writer = await openWriter(join(folder, 'settings.db'));
  // 2 is FULL.
  expect(settingsOf(writer)).toEqual({ journal_mode: 'wal', synchronous: 2, foreign_keys: 1, busy_timeout: 5_000 });
  writer.close();
});

test('the reader cannot write', async () => {
  const path = join(folder, 'reader.db');
  const writer = await openWriter(path);
  const reader = openReader(path);
  expect(settingsOf(reader)).toMatchObject({ journal_mode: 'wal', busy_timeout: 5_000 });
  expect(() => reader.exec('CREATE TABLE notes (text TEXT)')).toThrow('readonly');
  reader.close();
  writer.close();
});

test('opening waits for another process that sets up the same new file', async () => {
  const path = join(folder, 'contended.db');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const opening = openWriter(path);
  await setTimeout(20);
  other.exec('COMMIT');
  other.close();
  (await opening).close();
});

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('from the engine'), { code: 'ERR_SQLITE_ERROR', errcode });
}

describe('errors of the engine', () => {
  // BUSY, BUSY_RECOVERY, READONLY, IOERR, IOERR_FSYNC, CORRUPT, FULL, CANTOPEN, NOTADB
  test.each([5, 261, 8, 10, 1034, 11, 13, 14, 26])('with code %d become StorageUnavailableError', (code) => {
    const error = sqliteError(code);
    expect(translate(error)).toBeInstanceOf(StorageUnavailableError);
    expect(translate(error)).toHaveProperty('cause', error);
  });

  test('of a closed connection become StorageUnavailableError', () => {
    const error = Object.assign(new Error('database is not open'), { code: 'ERR_INVALID_STATE' });
    expect(translate(error)).toBeInstanceOf(StorageUnavailableError);
  });

  // ERROR, TOOBIG, CONSTRAINT_PRIMARYKEY, MISMATCH, RANGE
  test.each([1, 18, 1555, 20, 25])('with code %d are our own mistakes and stay unchanged', (code) => {
    const error = sqliteError(code);
    expect(translate(error)).toBe(error);
  });

  test.each([new Error('another'), 'a text', null, undefined, {}])(
    'that are not from SQLite stay unchanged: %p',
    (error) => {
      expect(translate(error)).toBe(error);
      expect(isBusy(error)).toBe(false);
    },
  );

  test('are translated by runStatements', () => {
    expect(runStatements(() => 5)).toBe(5);
    const question = () => {
      throw sqliteError(13);
    };
    expect(() => runStatements(question)).toThrow(StorageUnavailableError);
  });

  test('that mean "locked" are recognised by their primary code', () => {
    expect([5, 6, 261, 517, 10, 13].map((code) => isBusy(sqliteError(code)))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
