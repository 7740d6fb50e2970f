import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { readMigrations } from '../../migrations.ts';
import { migrate } from '../migrate.ts';
import { idempotencySql } from './idempotency.ts';
import { keySql } from './keys.ts';
import { orderSql } from './orders.ts';
import { petSql } from './pets.ts';
import { usageSql } from './usage.ts';

const database = new DatabaseSync(':memory:');
migrate(database, readMigrations(new URL('../../../operations/storage/migrations/sqlite/', import.meta.url)), 0);

/** How the engine goes about a statement. The table is empty, so no statistics are on its mind. */
function planOf(sql: string): string[] {
  const values = Array.from({ length: sql.includes('?1') ? 2 : sql.split('?').length - 1 }, () => 1);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return rows.map((row) => String(Object.values(row).at(-1)));
}

describe('statements use an index', () => {
  test.each([
    ['pets.list', petSql.list, ['SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)']],
    ['pets.listByStatus', petSql.listByStatus, ['SEARCH pets USING INDEX pets_by_status (status=? AND id>?)']],
    ['pets.find', petSql.find, ['SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)']],
    ['orders.list', orderSql.list, ['SEARCH orders USING INDEX orders_by_key (key_id=? AND id>?)']],
    [
      'orders.listByStatus',
      orderSql.listByStatus,
      ['SEARCH orders USING INDEX orders_by_key_and_status (key_id=? AND status=? AND id>?)'],
    ],
    ['orders.find', orderSql.find, ['SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)']],
    [
      'responses.find',
      idempotencySql.find,
      ['SEARCH kept_replies USING INDEX sqlite_autoindex_kept_replies_1 (key_id=? AND idempotency_key=?)'],
    ],
    [
      'keys.findBySecret',
      keySql.findBySecret,
      [
        'SEARCH secrets USING INDEX sqlite_autoindex_secrets_1 (hash=?)',
        'SEARCH keys USING INDEX sqlite_autoindex_keys_1 (id=?)',
      ],
    ],
  ])('%s: %#', (_name, sql, plan) => {
    expect(planOf(sql)).toEqual(plan);
  });

  const all = Object.entries({ petSql, orderSql, idempotencySql, keySql, usageSql }).flatMap(([table, statements]) =>
    Object.entries(statements).map(([name, sql]): [string, string] => [`${table}.${name}`, sql]),
  );
  // Reading everything is what these two are for: all keys for the operator, the usage once at start.
  const scanning = ['keySql.list', 'usageSql.load'];

  test.each(all.filter(([name]) => !scanning.includes(name)))('%s scans no table', (_name, sql) => {
    expect(planOf(sql).filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  test.each(all.filter(([name]) => /^(pet|order)Sql/.test(name)))('%s sorts nothing', (_name, sql) => {
    expect(planOf(sql).join()).not.toContain('TEMP B-TREE');
  });
});

describe('tables', () => {
  const add = database.prepare(petSql.add);

  test.each([
    ['a text as categoryId', ['Rex', 'three', null]],
    ['a categoryId that JSON cannot hold', ['Rex', 2n ** 53n, null]],
    ['a fraction as categoryId', ['Rex', 1.5, null]],
    ['no name', [null, 3, null]],
  ])('refuse %s', (_what, values) => {
    expect(() => add.get(...values)).toThrow();
  });
});
