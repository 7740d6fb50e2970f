import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { MigrateOption } from './migrations/migrations.ts';
import { migrateWith, openStorageWith } from './open.ts';
import { connectForSetUp } from './postgres/set-up.ts';
import { StorageSetupError } from './storage.ts';
import { noteStore, openNotes, waitLong } from './suite/notes.ts';

// These tests are not about timeouts.
waitLong();

const folder = mkdtempSync(join(tmpdir(), 'foreign-databases-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Database = {
  url: string;
  execute: (sql: string) => unknown;
  /** What must not change. */
  state: () => unknown;
};

const options: MigrateOption[] = ['on-start', 'existing', 'never'];

describe('SQLite', () => {
  let count = 0;
  describeForeignDatabases(async () => {
    count += 1;
    const path = join(folder, `${count}.db`);
    const execute = (sql: string) => {
      using database = new DatabaseSync(path);
      database.exec(sql);
    };
    // The bytes also show whether the journal mode was changed.
    return { url: `sqlite:${path}`, execute, state: () => existsSync(path) && readFileSync(path) };
  });

  test('the tables of the engine are not foreign', async () => {
    const path = join(folder, 'engine.db');
    using database = new DatabaseSync(path);
    database.exec('CREATE TABLE one (id INTEGER PRIMARY KEY AUTOINCREMENT); ANALYZE; DROP TABLE one');
    await (await openNotes(`sqlite:${path}`)).close();
  });
});

describeOnPostgres('PostgreSQL', (postgres) => {
  async function freshDatabase(): Promise<Database> {
    const url = await postgres.freshUrl();
    const execute = async (sql: string) => {
      const client = await connectForSetUp(url, 'notes');
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const state = () => execute('SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace');
    return { url, execute, state };
  }
  describeForeignDatabases(freshDatabase);

  test('the tables of an extension, and those of another schema, are not foreign', async () => {
    const { url, execute } = await freshDatabase();
    await execute(`CREATE TABLE owned (id int); ALTER EXTENSION plpgsql ADD TABLE owned;
      CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.customers (id int)`);
    await (await openNotes(url)).close();
  });
});

function describeForeignDatabases(freshDatabase: () => Promise<Database>): void {
  test.each(options)('a database with tables and no history is refused, and not changed: %s', async (option) => {
    const { url, execute, state } = await freshDatabase();
    await execute('CREATE TABLE customers (id integer)');
    const before = await state();
    await expect(openNotes(url, option)).rejects.toThrow(
      new StorageSetupError(
        'The database belongs to another program: it has the table customers, but no migrations. Set DATABASE_URL to an empty database.',
      ),
    );
    expect(await state()).toEqual(before);
  });

  test.each(options)('a table migrations of another program is refused, and not changed: %s', async (option) => {
    const { url, execute, state } = await freshDatabase();
    await execute('CREATE TABLE migrations (id integer, migration text, batch integer)');
    const before = await state();
    await expect(openNotes(url, option)).rejects.toThrow(
      new StorageSetupError(
        'The database belongs to another program: its table migrations has no column number. Set DATABASE_URL to an empty database.',
      ),
    );
    expect(await state()).toEqual(before);
  });

  test('the database of another API is refused, even if all of its migrations are additive', async () => {
    const { url, execute, state } = await freshDatabase();
    await (await openNotes(url)).close();
    await execute("UPDATE migrations SET additive = (1 = 1) WHERE name LIKE 'notes/%'");
    const before = await state();
    const tasks = { ...noteStore, name: 'tasks' };
    await expect(openStorageWith(tasks, url)).rejects.toThrow(
      'The database belongs to another API: it has the migration notes/0001-notes.sql. Set DATABASE_URL to a database of its own.',
    );
    expect(await state()).toEqual(before);
  });

  test.each([
    ['is missing', () => join(folder, 'no-such-folder/')],
    ['is empty', () => join(mkdtempSync(join(folder, 'empty-')), '/')],
  ])('a store whose folder of migrations %s is refused, and nothing is created', async (_, newFolder) => {
    const { url, state } = await freshDatabase();
    const path = newFolder();
    const migrations = pathToFileURL(path);
    const { sqlite, postgres } = noteStore;
    const store = { ...noteStore, sqlite: { ...sqlite, migrations }, postgres: { ...postgres, migrations } };
    const before = await state();
    const message = `The folder ${path} has no migrations. Check the path in the store, or run npm run new -- migration NAME.`;
    await expect(openStorageWith(store, url)).rejects.toThrow(new StorageSetupError(message));
    await expect(migrateWith(store, url)).rejects.toThrow(new StorageSetupError(message));
    expect(await state()).toEqual(before);
  });
}
