import { DatabaseSync } from 'node:sqlite';
import { operations } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { senderOn } from '../../../../service/src/storage/sqlite/tables.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { operationFacts } from '../../../test/contract.ts';
import { startTestServer, type TestServer, temporaryDatabase } from '../../../test/harness.ts';
import { api } from '../api.ts';
import { openStorage, storeDefinition } from './index.ts';
import type { Reader } from './store.ts';
import { CountingDatabase, countOnPostgres, type Examined, planModes } from './suite/rows-examined.ts';
import { queriesOf, skewedRows } from './suite/skewed-rows.ts';

/** A server over filled, skewed and analysed tables, what its requests have examined so far, and its key. */
type Counting = { server: TestServer; examined: Examined; key: string; close: () => unknown };

const listings = Object.entries(skewedRows).map(([id, { values }]) => ({ id, queries: queriesOf(values) }));

/**
 * What a page may cost: its own rows and one more, which tells whether another page follows, or one row for each given ID. PostgreSQL
 * visits a page of the table for each row, and pages of an index from its root for each ID.
 */
function allowed(query: string): Examined {
  const given = new URLSearchParams(query);
  const ids = Math.max(...[...given.keys(), ''].map((name) => given.getAll(name).length));
  const limit = Number(given.get('limit') ?? operations.listPets.defaults.limit);
  return { rows: Math.max(limit + 1, ids), pages: 20 + 2 * limit + 4 * ids };
}

function isTooMuch({ rows, pages }: Examined, query: string): boolean {
  const most = allowed(query);
  return rows > most.rows || pages > most.pages;
}

function describeListings(start: () => Promise<Counting>): void {
  let counting: Promise<Counting>;
  beforeAll(() => {
    counting = start();
    return counting.then(() => {});
  });
  afterAll(async () => {
    const { server, close } = await counting;
    await server.stop();
    await close();
  });

  test.each(listings)(
    '$id examines rows in proportion to its page, with every combination of filters',
    async (each) => {
      const { server, examined, key } = await counting;
      const path = Object.entries(operationFacts).find(([id]) => id === each.id)?.[1].path;
      const problems: string[] = [];
      for (const query of each.queries) {
        Object.assign(examined, { rows: 0, pages: 0 });
        const url = `${server.url}/v1${path}?${query}`;
        const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
        const page: unknown[] = JSON.parse(await response.text());
        if (response.status !== 200) problems.push(`${query}: status ${response.status}`);
        if (examined.rows < page.length) problems.push(`${query}: ${page.length} rows that nothing counted`);
        if (isTooMuch(examined, query)) {
          problems.push(`${query}: ${examined.rows} rows and ${examined.pages} pages for ${page.length}`);
        }
      }
      expect(problems).toEqual([]);
    },
  );
}

/** Starts a server on a database, and fills its tables. */
async function startFilled(databaseUrl: string, run: (sql: string) => unknown, reader: Reader) {
  const storage = await openStorage(databaseUrl);
  // Without jobs, because one of them reads orders between the requests.
  const server = await startTestServer({ databaseUrl, storage: { ...storage, reader }, service: { ...api, jobs: {} } });
  const { key, secret } = await server.keys.create({ plan: 'enterprise', perMinute: 100_000, perDay: 100_000 });
  for (const { fill } of Object.values(skewedRows)) await run(fill(key.id));
  await run('ANALYZE');
  return { server, key: secret };
}

/** The mistakes of a new listing: a filter without an index, and one that no index can answer. IDs from 1 satisfy the primary key. */
const planted = [
  'SELECT id FROM shops WHERE city = $1 AND open = 1 AND id > 0 ORDER BY id LIMIT 21',
  'SELECT id FROM shops WHERE name LIKE $1 AND id > 0 ORDER BY id LIMIT 21',
  'SELECT id FROM shops WHERE id > 0 AND open = 1 AND name < $1 ORDER BY name LIMIT 21',
];
const shops = `CREATE TABLE shops (id integer PRIMARY KEY, name text, city text, open integer);
  CREATE INDEX shops_by_open ON shops (open, id);
  WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 10000)
    INSERT INTO shops SELECT i, 'Shop ' || i, CASE WHEN i > 9000 THEN 'Rome' ELSE 'Oslo' END, 1 FROM numbers;
  ANALYZE`;

describe('listings on SQLite', () => {
  test.each(planted)('a listing without its index is found: %s', async (sql) => {
    const { path, remove } = await temporaryDatabase();
    new DatabaseSync(path).exec(shops);
    const database = new CountingDatabase(path);
    database.prepare(sql).all({ $1: 'Rome' });
    expect(isTooMuch(database.examined, '')).toBe(true);
    database.close();
    await remove();
  });

  describeListings(async () => {
    const { url, path, remove } = await temporaryDatabase();
    await (await openStorage(url)).close();
    const database = new CountingDatabase(path);
    const counted = storeDefinition.sqlite.reader(senderOn(database)(async (statements) => statements()).send);
    const started = await startFilled(url, (sql) => new DatabaseSync(path).exec(sql), counted);
    const close = async () => {
      database.close();
      await remove();
    };
    return { ...started, examined: database.examined, close };
  });
});

describeOnPostgres('listings on PostgreSQL', (postgres) => {
  describe.each(planModes)('%s', (mode) => {
    test('a listing without its index is found', async () => {
      await postgres.query(`CREATE DATABASE shops_${mode}`);
      await postgres.query(shops, `shops_${mode}`);
      const { send, examined, close } = await countOnPostgres(postgres.urlOf(`shops_${mode}`), mode);
      for (const [index, text] of planted.entries()) {
        Object.assign(examined, { rows: 0, pages: 0 });
        await send({ name: `planted.${index}`, text }, ['Rome']);
        expect([text, isTooMuch(examined, '')]).toEqual([text, true]);
      }
      await close();
    });

    describeListings(async () => {
      await postgres.query(`CREATE DATABASE ${mode}`);
      const url = postgres.urlOf(mode);
      await (await openStorage(url)).close();
      const { send, examined, close } = await countOnPostgres(url, mode);
      const started = await startFilled(url, (sql) => postgres.query(sql, mode), storeDefinition.postgres.reader(send));
      return { ...started, examined, close };
    });
  });
});
