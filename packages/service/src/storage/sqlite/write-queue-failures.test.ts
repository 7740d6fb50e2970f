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

  test('on a full disk, the work is rejected and the rest is kept or rolled back; writes succeed again once there is space', async () => {
    const { database, note, notes } = setUpQueue();
    await note('a');
    database.exec('PRAGMA max_page_count = 6');
    const results = await Promise.allSettled([note('b'), note('x'.repeat(100_000)), note('c')]);
    const stored = notes();
    for (const [index, text] of [
      [0, 'b'],
      [2, 'c'],
    ] as const) {
      expect(results[index]?.status).toBe(stored.includes(text) ? 'fulfilled' : 'rejected');
    }
    expect(results[1]).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    database.exec('PRAGMA max_page_count = 1000000');
    await note('d');
    expect(notes()).toContain('d');
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
