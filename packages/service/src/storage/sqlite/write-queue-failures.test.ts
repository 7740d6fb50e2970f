import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage.ts';
import { setUpQueue } from './write-queue-fixture.ts';

describe('when the engine fails', () => {
  test('a COMMIT that fails rolls back and rejects the whole batch, and the next batch succeeds', async () => {
    const { database, queue, note, notes } = setUpQueue();
    const orphan = () => queue.transact(async () => database.exec('INSERT INTO children VALUES (1)'));
    const results = await Promise.allSettled([note('a'), orphan(), note('b')]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailableError) });
    }
    expect(notes()).toEqual([]);
    await note('c');
    expect(notes()).toEqual(['c']);
  });

  test('a transaction that the engine rolled back by itself rejects all its units of work', async () => {
    const { database, queue, note, notes } = setUpQueue();
    const lost = () => queue.transact(async () => database.exec('ROLLBACK'));
    const results = await Promise.allSettled([note('a'), lost(), note('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    for (const result of results.slice(0, 2)) {
      expect(result).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    }
    expect(notes()).toEqual(['b']);
  });
});

describe('when another process has the write lock', () => {
  test('units of work wait for it, and the event loop does not', async () => {
    const { path, note, notes } = setUpQueue({ lockTimeoutMs: 30_000 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = note('a');
    // Counts turns instead of time: if the lock blocked each turn, the queue's timeout would end before the twentieth.
    for (let turn = 0; turn < 20; turn += 1) await setTimeout(1);
    expect(notes()).toEqual([]);
    other.exec('COMMIT');
    await waiting;
    expect(notes()).toEqual(['a']);
    other.close();
  });

  test('for too long, all waiting units of work are refused, but later ones are not', async () => {
    const { path, note, notes } = setUpQueue({ lockTimeoutMs: 50 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const results = await Promise.allSettled([note('a'), note('b')]);
    for (const result of results) expect(result).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    other.exec('COMMIT');
    other.close();
    await note('c');
    expect(notes()).toEqual(['c']);
  });
});
