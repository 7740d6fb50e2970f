import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage.ts';
import { ask } from './failure.ts';
import { Writer } from './writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes down the statements that are not prepared: those of the writer. */
class Recorded extends DatabaseSync {
  readonly statements: string[] = [];
  override exec(sql: string): void {
    this.statements.push(sql);
    super.exec(sql);
  }
}

let files = 0;
function setUp(patience?: number) {
  files += 1;
  const path = join(folder, `${files}.db`);
  const database = new Recorded(path);
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT NOT NULL) STRICT;
    CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
  const insert = database.prepare('INSERT INTO notes VALUES (?)');
  const select = database.prepare('SELECT text FROM notes', { returnArrays: true });
  const writer = new Writer(database, patience);
  const note = (text: string) => writer.transact(async () => ask(() => insert.run(text)));
  const notes = () => select.all().map((row) => row[0]);
  const commits = () => database.statements.filter((sql) => sql === 'COMMIT').length;
  return { path, database, writer, note, notes, commits };
}

describe('group commit', () => {
  test('works of the same moment share one COMMIT', async () => {
    const { note, notes, commits } = setUp();
    await Promise.all(['a', 'b', 'c'].map(note));
    expect(notes()).toEqual(['a', 'b', 'c']);
    expect(commits()).toBe(1);
  });

  test('works one after the other have one each', async () => {
    const { note, commits } = setUp();
    await note('a');
    await note('b');
    expect(commits()).toBe(2);
  });

  test('a batch has 100 works at most', async () => {
    const { note, notes, commits } = setUp();
    await Promise.all(Array.from({ length: 250 }, (_, index) => note(`${index}`)));
    expect(notes()).toHaveLength(250);
    expect(commits()).toBe(3);
  });

  test('a work that comes while the batch is running joins it', async () => {
    const { writer, note, commits } = setUp();
    const first = writer.transact(() => setTimeout(10));
    await setTimeout(2);
    await Promise.all([first, note('b')]);
    expect(commits()).toBe(1);
  });

  test('nobody is told before the COMMIT', async () => {
    const { database, writer, note } = setUp();
    const told: unknown[] = [];
    const first = note('a').then(() => told.push(database.statements.at(-1)));
    const second = writer.transact(async () => {
      await setTimeout(5);
      expect(told).toEqual([]);
    });
    await Promise.all([first, second]);
    expect(told).toEqual(['COMMIT']);
  });

  test('a work that rejects is undone alone', async () => {
    const { writer, note, notes, commits } = setUp();
    const refused = () =>
      writer.transact(async () => {
        await setTimeout(1);
        throw new Error('No.');
      });
    const results = await Promise.allSettled([note('a'), refused(), note('b')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(notes()).toEqual(['a', 'b']);
    expect(commits()).toBe(1);
  });

  test('each work runs in the async context of its caller', async () => {
    const { writer } = setUp();
    const context = new AsyncLocalStorage<string>();
    const seen = ['a', 'b'].map((name) => context.run(name, () => writer.transact(async () => context.getStore())));
    expect(await Promise.all(seen)).toEqual(['a', 'b']);
  });
});

describe('when the engine fails', () => {
  test('a COMMIT that fails undoes the whole batch; everybody is told, and the next one works', async () => {
    const { database, writer, note, notes } = setUp();
    const orphan = () => writer.transact(async () => database.exec('INSERT INTO children VALUES (1)'));
    const results = await Promise.allSettled([note('a'), orphan(), note('b')]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailableError) });
    }
    expect(notes()).toEqual([]);
    await note('c');
    expect(notes()).toEqual(['c']);
  });

  test('a full disk rejects the work, leaves the others alone or undone, and space makes it work again', async () => {
    const { database, note, notes } = setUp();
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

  test('a transaction that the engine undid by itself takes all its works with it', async () => {
    const { database, writer, note, notes } = setUp();
    const lost = () => writer.transact(async () => database.exec('ROLLBACK'));
    const results = await Promise.allSettled([note('a'), lost(), note('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(results[0]).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    expect(notes()).toEqual(['b']);
  });
});

describe('when another process has the write lock', () => {
  test('works wait for it, and the event loop does not', async () => {
    const { path, note, notes } = setUp();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = note('a');
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    await setTimeout(100);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(20);
    expect(notes()).toEqual([]);
    other.exec('COMMIT');
    await waiting;
    expect(notes()).toEqual(['a']);
    other.close();
  });

  test('for too long, all that wait are refused, and later ones are not', async () => {
    const { path, note, notes } = setUp(50);
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
