import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { checksum, type Migration } from '../migrations/migrations.ts';
import { StorageSetupError } from '../storage.ts';
import { migrate } from './connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const first: Migration = { name: '0001-first.sql', sql: 'CREATE TABLE one (id INTEGER) STRICT;' };
const second: Migration = { name: '0002-second.sql', sql: 'CREATE TABLE two (id INTEGER) STRICT;' };
const broken: Migration = { name: '0002-broken.sql', sql: 'CREATE TABLE two (id INTEGER); CREATE TABEL x;' };

function applied(database: DatabaseSync) {
  return database
    .prepare('SELECT number, name, applied_at FROM migrations ORDER BY number')
    .all()
    .map((row) => ({ ...row }));
}

function tables(database: DatabaseSync) {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  return database
    .prepare(sql, { returnArrays: true })
    .all()
    .map((row) => row[0]);
}

describe('migrate', () => {
  test('runs each pending migration once, and records it', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first], 1_000);
    migrate(database, [first], 2_000);
    migrate(database, [first, second], 3_000);
    expect(applied(database)).toEqual([
      { number: 1, name: '0001-first.sql', applied_at: 1_000 },
      { number: 2, name: '0002-second.sql', applied_at: 3_000 },
    ]);
    expect(tables(database)).toEqual(['migrations', 'one', 'two']);
  });

  test('changes nothing if a migration fails', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first], 1_000);
    expect(() => migrate(database, [first, broken], 2_000)).toThrow('syntax error');
    expect(tables(database)).toEqual(['migrations', 'one']);
    migrate(database, [first, second], 3_000);
    expect(applied(database)).toHaveLength(2);
  });

  test.each([
    [
      'a misspelled keyword',
      '\n-- A;\n\nCREATE TABLE two (\n  id INTEGER,\n  UNIQU (id)\n);',
      'near "(": syntax error',
    ],
    ['a table that exists', "SELECT '🐈;';\nSELECT 2; -- One;\nCREATE TABLE one (id);", 'table one already exists'],
    [
      'a trigger',
      'CREATE TRIGGER three AFTER INSERT ON one BEGIN\n SELECT 1; SELECT 2;\nEND;\nDROP TABLE two',
      'no such table: two',
    ],
  ])('that fails because of %s is named, with what to do', (_, sql, reason) => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first], 1_000);
    const broken = { name: '0002-broken.sql', sql };
    expect(() => migrate(database, [first, broken], 2_000)).toThrow(
      expect.objectContaining({
        name: 'MigrationError',
        message: `The SQLite migration 0002-broken.sql fails: ${reason}. The database was not changed. Correct the file, or report this if it came with a release.`,
      }),
    );
  });

  test('refuses a database that is newer than this program', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first, second], 1_000);
    const old = () => migrate(database, [first], 2_000);
    expect(old).toThrow(StorageSetupError);
    expect(old).toThrow('newer than this program: it has the migration 0002-second.sql');
    expect(database.isTransaction).toBe(false);
  });

  test('accepts a newer database if every migration that is unknown here is additive', () => {
    const database = new DatabaseSync(':memory:');
    const additive = { ...second, sql: `-- additive\n${second.sql}` };
    migrate(database, [first, additive], 1_000);
    expect(migrate(database, [first], 2_000)).toEqual([]);
    const third = { name: '0003-third.sql', sql: 'CREATE TABLE three (id INTEGER) STRICT;' };
    migrate(database, [first, additive, third], 3_000);
    expect(() => migrate(database, [first], 4_000)).toThrow('it has the migration 0003-third.sql');
  });

  test('with MIGRATE=never refuses a database that lacks a migration, and does not change it', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first], 1_000);
    expect(() => migrate(database, [first, second], 2_000, 'never')).toThrow(
      'The database lacks the migration 0002-second.sql, and MIGRATE is never. Run npm run migrate',
    );
    expect(applied(database)).toHaveLength(1);
    expect(migrate(database, [first], 2_000, 'never')).toEqual([]);
  });

  test('continues a database whose single stream was split into two, without running a part again', () => {
    const database = new DatabaseSync(':memory:');
    const whole = { name: '0001-start.sql', sql: `${first.sql}\n${second.sql}` };
    const kept = { name: '0002-kept.sql', sql: 'CREATE TABLE kept (id INTEGER) STRICT;' };
    migrate(database, [whole, kept], 1_000);
    const replaces = checksum(whole);
    const streams = [
      { name: 'service/0001-start.sql', sql: first.sql, replaces },
      { name: 'service/0003-new.sql', sql: 'CREATE TABLE three (id INTEGER) STRICT' },
      { name: 'notes/0001-start.sql', sql: second.sql, replaces },
      { name: 'notes/0002-kept.sql', sql: kept.sql },
    ];
    expect(migrate(database, streams, 2_000).map(({ name }) => name)).toEqual(['service/0003-new.sql']);
    expect(migrate(database, streams, 3_000)).toEqual([]);
    expect(tables(database)).toEqual(['kept', 'migrations', 'one', 'three', 'two']);
  });

  test('refuses a migration that was added before one that has run', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first, { ...second, name: '0003-second.sql' }], 1_000);
    const late = { name: '0002-late.sql', sql: 'CREATE TABLE late (id INTEGER) STRICT' };
    expect(() => migrate(database, [first, late, { ...second, name: '0003-second.sql' }], 2_000)).toThrow(
      'The migration 0002-late.sql was added before 0003-second.sql, which has already run on this database.',
    );
  });

  test('refuses a database whose migrations differ', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, [first], 1_000);
    expect(() => migrate(database, [{ ...first, sql: `${first.sql} -- changed` }], 2_000)).toThrow(StorageSetupError);
  });
});

describe('two processes', () => {
  test('never migrate at once: the second one waits for the lock, even if no migration is pending', () => {
    const path = join(folder, 'two.db');
    const [one, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    migrate(one, [first], 1_000);
    one.exec('BEGIN IMMEDIATE');
    expect(() => migrate(other, [first], 2_000)).toThrow('database is locked');
    one.exec('COMMIT');
    migrate(other, [first, second], 3_000);
    expect(applied(one)).toHaveLength(2);
    one.close();
    other.close();
  });
});
