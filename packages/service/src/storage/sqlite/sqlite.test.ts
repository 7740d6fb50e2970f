import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { memoryDatabaseUrl } from '../open.ts';
import { StorageUnavailableError } from '../storage.ts';
import { gate, opener } from '../suite/engine.ts';
import { describeDurability, describeStorage } from '../suite/index.ts';
import { openNotes } from '../suite/notes.ts';

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
