import { DatabaseSync } from 'node:sqlite';
import type { TestPostgres } from '../../../../packages/server/test/postgres/server.ts';
import type { Catalogue } from '../../../pages/catalogues.ts';
import type { CatalogueCost } from '../../run.ts';

type Sizes = Pick<CatalogueCost, 'tableBytes' | 'indexBytes' | 'levels'>;

/** The bytes of the animals' table and of its indexes; in SQLite the table is an index by id itself. */
export async function sizesOf({ engine, url }: Catalogue, postgres: TestPostgres): Promise<Sizes> {
  return engine === 'SQLite' ? sqliteSizes(url.slice('sqlite:'.length)) : postgresSizes(url, postgres);
}

/** The path of a page has a slash for each level above it (https://sqlite.org/dbstat.html). */
function sqliteSizes(path: string): Sizes {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const sizeOf = database.prepare(
      `SELECT sum(pgsize) AS bytes, max(length(path) - length(replace(path, '/', ''))) AS levels
        FROM dbstat WHERE name = ?`,
    );
    const index = sizeOf.get('pets_by_status');
    return {
      tableBytes: Number(sizeOf.get('pets')?.['bytes']),
      indexBytes: Number(index?.['bytes']),
      levels: Number(index?.['levels']),
    };
  } finally {
    database.close();
  }
}

async function postgresSizes(url: string, postgres: TestPostgres): Promise<Sizes> {
  const schema = new URL(url).searchParams.get('options')?.split('=').at(-1);
  const [[table, index] = []] = await postgres.query(
    `SELECT pg_table_size('${schema}.pets'), pg_indexes_size('${schema}.pets')`,
  );
  return { tableBytes: Number(table), indexBytes: Number(index) };
}
