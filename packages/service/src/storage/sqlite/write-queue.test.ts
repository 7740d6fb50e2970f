import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage.ts';
import { LOCK_TIMEOUT, watchFile } from './connection.ts';
import { WriteQueue, type WriteQueueTimes } from './write-queue.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Records the statements that are not prepared: those of the queue. */
class Recorded extends DatabaseSync {
  readonly statements: string[] = [];
  override exec(sql: string): void {
    this.statements.push(sql);
    super.exec(sql);
  }
}

let files = 0;

/** A queue on a new file that other connections can read. */
function setUpQueue(times?: WriteQueueTimes) {
  files += 1;
  const path = join(folder, `${files}.db`);
  const database = new Recorded(path, { timeout: LOCK_TIMEOUT });
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT NOT NULL) STRICT;
    CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  const select = database.prepare('SELECT text FROM notes', { returnArrays: true });
  const queue = new WriteQueue(database, watchFile(path), times);
  const note = (text: string) => queue.transact((run) => run(() => insert.run(text)));
  const notes = () => select.all().map((row) => row[0]);
  const commits = () => database.statements.filter((sql) => sql === 'COMMIT').length;
  return { path, database, queue, insert, note, notes, commits };
}

describe('group commit', () => {
  test('units of work of the same turn share one COMMIT', async () => {
    const { note, notes, commits } = setUpQueue();
    await Promise.all(['a', 'b', 'c'].map(note));
    expect(notes()).toEqual(['a', 'b', 'c']);
    expect(commits()).toBe(1);
  });

  test.each([
    ['while more work arrives in each turn, a batch waits for it', 30_000, 1],
    ['a batch does not wait longer than its limit', 0, 2],
  ])('%s', async (_, gatherMs, expected) => {
    const { note, notes, commits } = setUpQueue({ gatherMs });
    const works = [note('a'), note('b')];
    await setImmediate();
    await Promise.all([...works, note('c')]);
    expect(notes()).toEqual(['a', 'b', 'c']);
    expect(commits()).toBe(expected);
  });

  test('a batch has at most 100 units of work', async () => {
    const { note, notes, commits } = setUpQueue();
    await Promise.all(Array.from({ length: 250 }, (_, index) => note(`${index}`)));
    expect(notes()).toHaveLength(250);
    expect(commits()).toBe(3);
  });

  test('a unit of work that arrives while the batch is running joins it', async () => {
    const { queue, note, commits } = setUpQueue();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const first = queue.transact(() => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const second = note('b');
    end.resolve();
    await Promise.all([first, second]);
    expect(commits()).toBe(1);
  });

  test('no promise resolves before the COMMIT', async () => {
    const { database, queue, note } = setUpQueue();
    const told: unknown[] = [];
    const first = note('a').then(() => told.push(database.statements.at(-1)));
    const second = queue.transact(async () => {
      await setTimeout(5);
      expect(told).toEqual([]);
    });
    await Promise.all([first, second]);
    expect(told).toEqual(['COMMIT']);
  });

  test('each unit of work runs in the async context of its caller', async () => {
    const { queue } = setUpQueue();
    const context = new AsyncLocalStorage<string>();
    const seen = ['a', 'b'].map((name) => context.run(name, () => queue.transact(async () => context.getStore())));
    expect(await Promise.all(seen)).toEqual(['a', 'b']);
  });
});

test('a unit of work that waits too long behind slow ones is refused without running, but later ones are not', async () => {
  const { queue, note, notes } = setUpQueue({ waitTimeoutMs: 60_000 });
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const slow = queue.transact(() => {
    begun.resolve();
    return end.promise;
  });
  await begun.promise;
  const late = note('late');
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
  const results = await Promise.allSettled([slow, late, note('in time'), end.resolve()]).finally(() =>
    clock.mockRestore(),
  );
  const refused = { status: 'rejected', reason: expect.any(StorageUnavailableError) };
  expect(results.slice(0, 3)).toMatchObject([{ status: 'fulfilled' }, refused, { status: 'fulfilled' }]);
  expect(notes()).toEqual(['in time']);
});

describe('a unit of work that takes too long', () => {
  test('is undone, its caller gets StorageUnavailableError, and the others continue', async () => {
    const { queue, insert, note, notes } = setUpQueue({ workTimeoutMs: 50 });
    const end = Promise.withResolvers<void>();
    const slow = () =>
      queue.transact(async (run) => {
        await run(() => insert.run('slow'));
        await end.promise;
      });
    const results = await Promise.allSettled([note('a'), slow(), slow(), note('b')]);
    const refused = { status: 'rejected', reason: expect.any(StorageUnavailableError) };
    expect(results).toMatchObject([{ status: 'fulfilled' }, refused, refused, { status: 'fulfilled' }]);
    expect(notes()).toEqual(['a', 'b']);
    end.resolve();
  });

  test('cannot write any more, neither on its own nor in the transaction of another one', async () => {
    const { queue, insert, note, notes } = setUpQueue({ workTimeoutMs: 50 });
    const end = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const slow = queue.transact(async (run) => {
      await end.promise;
      await run(() => insert.run('late')).catch(late.resolve);
    });
    await expect(slow).rejects.toBeInstanceOf(StorageUnavailableError);
    const other = queue.transact(async (run) => {
      await run(() => insert.run('other'));
      end.resolve();
      expect(await late.promise).toMatchObject({ message: expect.stringContaining('The transaction is over') });
    });
    await Promise.all([other, note('c')]);
    expect(notes()).toEqual(['other', 'c']);
  });

  test('may be followed by a transaction that it starts itself', async () => {
    const { queue, note, notes } = setUpQueue({ workTimeoutMs: 50 });
    const [end, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = queue.transact(async () => {
      await end.promise;
      await note('later').then(() => later.resolve(), later.reject);
    });
    await expect(slow).rejects.toBeInstanceOf(StorageUnavailableError);
    end.resolve();
    await later.promise;
    expect(notes()).toEqual(['later']);
  });
});

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
