/**
 * Measures the bytes per row of each table and index on both engines, and records them: `node bench/sizes/main.ts`. The tables are
 * those of the migrations; `docs/capacity.md` must contain the table that it prints.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateStorage } from '../../packages/server/src/operations/storage/index.ts';
import { startPostgres } from '../../packages/testing/src/postgres/server.ts';
import { temporaryFolder } from '../server/temporary-folder.ts';
import { type Sizes, sizesFile, sizesTable } from './table.ts';

/** Enough that the size of the last page does not matter. */
const ROWS = 1_000_000;

/** Names of 11 characters on average, five categories, the first 80 % sold: as time makes them. */
const pets = `SELECT i, 'Animal ' || i, i % 5 + 1, CASE WHEN i <= ${ROWS * 0.8} THEN 'sold' ELSE 'available' END FROM n`;
const orders = `SELECT i, 'key_0123456789abcd' || (i % 90 + 10), i, 'completed', 1700000000000 + i FROM n`;

async function sqlite(): Promise<Record<string, number>> {
  using folder = temporaryFolder(join(tmpdir(), 'animal-store-sizes-'));
  const path = join(folder.path, 'sizes.db');
  await migrateStorage(`sqlite:${path}`);
  using database = new DatabaseSync(path);
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  database.exec(`BEGIN; INSERT INTO pets (id, name, category_id, status) ${numbers} ${pets};
    INSERT INTO orders (id, key_id, pet_id, status, created_at) ${numbers} ${orders}; COMMIT`);
  const sizes = database.prepare(`SELECT dbstat.name, sum(pgsize) FROM dbstat JOIN sqlite_schema USING (name)
    WHERE tbl_name IN ('pets', 'orders') GROUP BY 1 ORDER BY tbl_name DESC, type DESC, 1`);
  return perRow(sizes.all().map((row) => Object.values(row)));
}

async function postgres(): Promise<Record<string, number>> {
  const server = await startPostgres();
  try {
    await migrateStorage(server.urlOf('postgres'));
    const numbers = `WITH n AS (SELECT i FROM generate_series(1, ${ROWS}) AS i)`;
    await server.query(`INSERT INTO pets (id, name, category_id, status) ${numbers} ${pets};
      INSERT INTO orders (id, key_id, pet_id, status, created_at) ${numbers} ${orders}`);
    const rows = await server.query(`SELECT c.relname, pg_relation_size(c.oid) FROM pg_class c
      LEFT JOIN pg_index i ON i.indexrelid = c.oid
      WHERE coalesce(i.indrelid, c.oid) IN ('pets'::regclass, 'orders'::regclass)
      ORDER BY coalesce(i.indrelid, c.oid) = 'orders'::regclass, c.relkind DESC, c.relname`);
    return perRow(rows);
  } finally {
    await server.remove();
  }
}

function perRow(rows: readonly (readonly unknown[])[]): Record<string, number> {
  return Object.fromEntries(rows.map(([name, bytes]) => [String(name), Math.round((Number(bytes) / ROWS) * 10) / 10]));
}

const sizes: Sizes = {
  measuredOn: new Date().toISOString().slice(0, 10),
  rows: ROWS,
  sqlite: await sqlite(),
  postgres: await postgres(),
};
writeFileSync(sizesFile, `${JSON.stringify(sizes, undefined, 2)}\n`);
console.log(sizesTable(JSON.parse(readFileSync(sizesFile, 'utf8'))));
