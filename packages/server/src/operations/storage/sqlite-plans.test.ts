import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { migrationsOf } from '../../../../service/src/storage/migrations/migrations.ts';
import { migrate } from '../../../../service/src/storage/sqlite/connection.ts';
import { sql as tables, textOf } from '../../../../service/src/storage/sqlite/tables.ts';
import type { Statement } from '../../../../service/src/storage/store-definition.ts';
import { sqlite } from './dialect.ts';
import { storeDefinition } from './index.ts';
import { storeOn } from './store.ts';

const database = new DatabaseSync(':memory:');
migrate(database, migrationsOf('sqlite', { ...storeDefinition, ...storeDefinition.sqlite }), 0);

/** The plan of a statement. The tables are empty, so no statistics influence it. */
function planOf(sql: string): string[] {
  const values = Array.from({ length: new Set(sql.match(/\?\d/g)).size }, () => 1);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return rows.map((row) => String(Object.values(row).at(-1)));
}

describe('statements use an index', () => {
  const named = (statement: Statement): [string, string] => [statement.name, textOf(statement)];
  const ofStore = storeOn(sqlite).statements.map(named);
  const ofService = Object.values(tables).flatMap((table) => Object.values(table).map(named));
  // These may read a whole table: all keys for the operator, and the usage once at the start.
  const scanning = ['keys.list', 'usage.load'];

  test.each([...ofStore, ...ofService].filter(([name]) => !scanning.includes(name)))(
    '%s scans no table',
    (_name, sql) => {
      // The IDs of a filter are a list of at most 100, not a table.
      expect(planOf(sql).filter((step) => /^SCAN (?!json_each)/.test(step))).toEqual([]);
    },
  );

  test.each(ofStore)('%s sorts nothing', (_name, sql) => {
    expect(planOf(sql).join()).not.toContain('TEMP B-TREE');
  });
});

describe('tables', () => {
  const add = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

  test.each([
    ['a text as categoryId', ['Rex', 'three', null]],
    ['a categoryId that JSON cannot represent', ['Rex', 2n ** 53n, null]],
    ['a fraction as categoryId', ['Rex', 1.5, null]],
    ['no name', [null, 3, null]],
  ])('refuse %s', (_what, values) => {
    expect(() => add.get(...values)).toThrow();
  });
});
