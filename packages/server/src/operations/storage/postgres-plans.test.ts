import { beforeAll, expect, test } from '@jest/globals';
import { countSql } from '../../../../service/src/rate-limit/postgres-counters.ts';
import { sql as tableSql } from '../../../../service/src/storage/postgres/tables.ts';
import { waitLong } from '../../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { openStorage } from './index.ts';
import { sql as storeSql } from './postgres.ts';

// These tests are not about timeouts.
waitLong();

describeOnPostgres('tables of PostgreSQL', (postgres) => {
  // With sequential scans discouraged, the planner uses one only if there is no alternative.
  beforeAll(async () => {
    await (await openStorage(postgres.urlOf('postgres'))).close();
  });

  /** The plan of a prepared statement, independent of its values. */
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
    ['findPet', storeSql.findPet, 'pets_pkey', 'Index Cond: (id = $1)'],
    ['lockPet', storeSql.lockPet, 'pets_pkey', 'Index Cond: (id = $1)'],
    ['setPetStatus', storeSql.setPetStatus, 'pets_pkey', 'Index Cond: (id = $2)'],
    ['replacePet', storeSql.replacePet, 'pets_pkey', 'Index Cond: (id = $4)'],
    ['deletePet', storeSql.deletePet, 'pets_pkey', 'Index Cond: (id = $1)'],
    ['hasPlacedOrder', storeSql.hasPlacedOrder, 'orders_placed_by_pet', 'Index Cond: (pet_id = $1)'],
    ['listPetsOfOldOrders', storeSql.listPetsOfOldOrders, 'orders_placed_by_time', 'Index Cond: (created_at <= $1)'],
    ['expireOrderOf', storeSql.expireOrderOf, 'orders_placed_by_pet', 'Index Cond: (pet_id = $1)'],
    ['findOrder', storeSql.findOrder, 'orders_by_key', 'Index Cond: ((key_id = $2) AND (id = $1))'],
    ['setOrderStatus', storeSql.setOrderStatus, 'orders_pkey', 'Index Cond: (id = $2)'],
    [
      'idempotency.find',
      tableSql.idempotency.find,
      'idempotency_records_pkey',
      'Index Cond: ((key_id = $1) AND (idempotency_key = $2))',
    ],
    [
      'idempotency.deleteOld',
      tableSql.idempotency.deleteOld,
      'idempotency_records_by_time',
      'Index Cond: (created_at < $1)',
    ],
    [
      'counts.forget',
      countSql.forget,
      'counts_by_day',
      'Index Cond: (day < (((EXTRACT(epoch FROM now()))::bigint / 86400) - 1))',
    ],
    ['keys.findBySecrets', tableSql.keys.findBySecrets, 'secrets_pkey', 'Index Cond: (hash = ANY ($1))'],
    ['keys.endSecrets', tableSql.keys.endSecrets, 'secrets_by_key', 'Index Cond: (key_id = $2)'],
  ])('%s reads only a range of an index', async (_name, sql, index, condition) => {
    const plan = await planOf(sql);
    expect(plan.join('\n')).toMatch(new RegExp(`Scan using ${index} `));
    expect(plan).toContain(condition);
  });

  const all = [storeSql, ...Object.values(tableSql), countSql].flatMap((table) => Object.values(table));
  // These may read a whole table: all keys and their activity for the operator, and the usage once at the start.
  const whole = [tableSql.keys.list, tableSql.keys.allActivity, tableSql.keys.wholeAudit, tableSql.usage.load];
  const scanning: string[] = whole.map(({ name }) => name);

  test.each(all.filter(({ name }) => !scanning.includes(name)))('$name scans no table', async (sql) => {
    expect((await planOf(sql)).filter((step) => step.includes('Seq Scan'))).toEqual([]);
  });

  test.each(all.filter(({ name }) => /^(pets|orders)\./.test(name)))('$name sorts nothing', async (sql) => {
    expect((await planOf(sql)).join()).not.toContain('Sort');
  });

  test.each([
    ['a text as categoryId', `'Rex', 'three'`],
    ['a categoryId that JSON cannot represent', `'Rex', 9007199254740992`],
    ['no name', 'NULL, 3'],
  ])('refuse %s', async (_what, values) => {
    await expect(postgres.query(`INSERT INTO pets (name, category_id) VALUES (${values})`)).rejects.toThrow();
  });
});
