import { beforeAll, expect, test } from '@jest/globals';
import { countSql } from '../../../../service/src/rate-limit/postgres-counters.ts';
import { sql as tableSql } from '../../../../service/src/storage/postgres/tables.ts';
import { waitLong } from '../../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { postgres as dialect } from './dialect.ts';
import { openStorage } from './index.ts';
import { storeOn } from './store.ts';

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

  const ofStore = storeOn(dialect).statements;
  const ofService = [...Object.values(tableSql), countSql].flatMap((table) => Object.values(table));
  const all = [...ofStore, ...ofService];
  // These may read a whole table: all keys for the operator, and the usage once at the start.
  const whole = [tableSql.keys.list, tableSql.usage.load];
  const scanning: string[] = whole.map(({ name }) => name);

  test.each(all.filter(({ name }) => !scanning.includes(name)))('$name scans no table', async (sql) => {
    expect((await planOf(sql)).filter((step) => step.includes('Seq Scan'))).toEqual([]);
  });

  test.each(ofStore)('$name sorts nothing', async (sql) => {
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
