import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Storage } from '../../packages/server/src/operations/storage/index.ts';
import { openStorage } from '../../packages/server/src/operations/storage/index.ts';
import type { TestPostgres } from '../../packages/server/test/postgres/server.ts';

/** A catalogue of so many animals, a third of which are available. */
export type Catalogue = { engine: 'SQLite' | 'PostgreSQL'; animals: number; url: string; storage: Storage };

/** In a file of the folder. */
export async function sqliteCatalogue(folder: string, animals: number): Promise<Catalogue> {
  const path = join(folder, `${animals}.db`);
  const url = `sqlite:${path}`;
  await (await openStorage(url)).close();
  const database = new DatabaseSync(path);
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
    INSERT INTO pets (name, category_id, status)
    SELECT 'Rex ' || i, i % 10, iif(i % 3 = 0, 'available', iif(i % 3 = 1, 'pending', 'sold')) FROM n`);
  database.close();
  return { engine: 'SQLite', animals, url, storage: await openStorage(url) };
}

/** In tables of their own. */
export async function postgresCatalogue(postgres: TestPostgres, animals: number): Promise<Catalogue> {
  const url = await postgres.freshUrl();
  const storage = await openStorage(url);
  const schema = decodeURIComponent(new URL(url).search).split('=').at(-1);
  await postgres.query(`INSERT INTO ${schema}.pets (name, category_id, status)
    SELECT 'Rex ' || i, i % 10, (ARRAY['available', 'pending', 'sold'])[i % 3 + 1] FROM generate_series(1, ${animals}) AS i`);
  await postgres.query(`VACUUM ANALYZE ${schema}.pets`);
  return { engine: 'PostgreSQL', animals, url, storage };
}
