import { beforeAll, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../../test/postgres/in-tests.ts';
import { openStorage } from '../../open.ts';
import { countSql } from './counts.ts';
import { idempotencySql } from './idempotency.ts';
import { keySql } from './keys.ts';
import { orderSql } from './orders.ts';
import { petSql } from './pets.ts';
import { usageSql } from './usage.ts';

describeOnPostgres('tables of PostgreSQL', (postgres) => {
  // Where reading a whole table is made dear, it is read only where there is no other way.
  beforeAll(async () => {
    await (await openStorage(postgres.urlOf('postgres'))).close();
  });

  /** How the engine goes about a prepared statement, whatever its values. */
  async function planOf({ text }: { text: string }): Promise<string[]> {
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    const values = count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const rows = await postgres.query(
      `SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan;
       PREPARE statement AS ${text}; EXPLAIN (COSTS off) EXECUTE statement${values}`,
    );
    return rows.map(([line]) => String(line).trim());
  }

  test.each([
    ['pets.list', petSql.list, 'pets_pkey', 'Index Cond: (id > $1)'],
    ['pets.listByStatus', petSql.listByStatus, 'pets_by_status', 'Index Cond: ((status = $1) AND (id > $2))'],
    ['pets.find', petSql.find, 'pets_pkey', 'Index Cond: (id = $1)'],
    ['pets.findAndLock', petSql.findAndLock, 'pets_pkey', 'Index Cond: (id = $1)'],
    ['pets.setStatus', petSql.setStatus, 'pets_pkey', 'Index Cond: (id = $2)'],
    ['orders.list', orderSql.list, 'orders_by_key', 'Index Cond: ((key_id = $1) AND (id > $2))'],
    [
      'orders.listByStatus',
      orderSql.listByStatus,
      'orders_by_key_and_status',
      'Index Cond: ((key_id = $1) AND (status = $2) AND (id > $3))',
    ],
    ['orders.find', orderSql.find, 'orders_by_key', 'Index Cond: ((key_id = $2) AND (id = $1))'],
    ['orders.setStatus', orderSql.setStatus, 'orders_pkey', 'Index Cond: (id = $2)'],
    [
      'responses.find',
      idempotencySql.find,
      'kept_replies_pkey',
      'Index Cond: ((key_id = $1) AND (idempotency_key = $2))',
    ],
    ['responses.forget', idempotencySql.forget, 'kept_replies_by_time', 'Index Cond: (kept_at < $1)'],
    [
      'counts.forget',
      countSql.forget,
      'counts_by_day',
      'Index Cond: (day < (((EXTRACT(epoch FROM now()))::bigint / 86400) - 1))',
    ],
    ['keys.findBySecret', keySql.findBySecret, 'secrets_pkey', 'Index Cond: (hash = $1)'],
    ['keys.endSecrets', keySql.endSecrets, 'secrets_by_key', 'Index Cond: (key_id = $2)'],
  ])('%s reads a range of an index, and no more', async (_name, sql, index, condition) => {
    const plan = await planOf(sql);
    expect(plan.join('\n')).toMatch(new RegExp(`Scan using ${index} `));
    expect(plan).toContain(condition);
  });

  const all = [petSql, orderSql, idempotencySql, keySql, usageSql, countSql].flatMap((table) => Object.values(table));
  // Reading everything is what these two are for: all keys for the operator, the usage once at start.
  const scanning: string[] = [keySql.list.name, usageSql.load.name];

  test.each(all.filter(({ name }) => !scanning.includes(name)))('$name scans no table', async (sql) => {
    expect((await planOf(sql)).filter((step) => step.includes('Seq Scan'))).toEqual([]);
  });

  test.each(all.filter(({ name }) => /^(pets|orders)/.test(name)))('$name sorts nothing', async (sql) => {
    expect((await planOf(sql)).join()).not.toContain('Sort');
  });

  test.each([
    ['a text as categoryId', `'Rex', 'three'`],
    ['a categoryId that JSON cannot hold', `'Rex', 9007199254740992`],
    ['no name', 'NULL, 3'],
  ])('refuse %s', async (_what, values) => {
    await expect(postgres.query(`INSERT INTO pets (name, category_id) VALUES (${values})`)).rejects.toThrow();
  });
});
