import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { root } from '../../packages/tooling/src/project.ts';
import { createKey } from '../server/server.ts';

/** The number of pets in the catalogue. */
export const PETS = 100_000;

/** The database that each server gets a copy of, and its API keys. */
export type Data = {
  file: string;
  /** A key that never exceeds its quota. */
  key: string;
  /** A key on the smallest plan, which exceeds its quota. */
  smallKey: string;
};

/** Creates a database with our server and fills it. A tenth of the pets have no status; the others share three. */
export function makeData(folder: string): Data {
  mkdirSync(folder, { recursive: true });
  const options = { project: root, data: folder };
  const key = createKey(options);
  const smallKey = createKey(options, ['--plan', 'free']);
  const file = join(folder, 'bench.db');
  const database = new DatabaseSync(file);
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PETS})
    INSERT INTO pets (name, category_id, status)
    SELECT 'Rex ' || i, i % 10, CASE i % 10 WHEN 0 THEN NULL ELSE
      CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END END FROM n;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  return { file, key, smallKey };
}

/** Copies the database into a new folder. */
export function copyData(file: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(file, join(folder, 'bench.db'));
}
