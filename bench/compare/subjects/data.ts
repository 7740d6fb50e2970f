import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hashSecret, mintKeyId, mintSecret, secretHint } from '../../../packages/server/src/keys/key-format.ts';
import { root } from '../../../scripts/root.ts';
import { createKey } from '../../server/server.ts';

/** How many animals the catalogue has. */
export const ANIMALS = 100_000;

/** A database that each server gets a copy of, and the keys that it knows. */
export type Data = {
  file: string;
  /** Meets no quota. */
  key: string;
  /** On the smallest plan, to be banned. */
  smallKey: string;
};

/** Makes the database as our server does, and fills it. A third of the animals each has one of the states, some none. */
export function makeData(folder: string): Data {
  mkdirSync(folder, { recursive: true });
  const place = { folder: root, data: folder };
  const key = createKey(place);
  const smallKey = createKey(place, ['--plan', 'free']);
  const file = join(folder, 'bench.db');
  write(file, (database) => {
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ANIMALS})
      INSERT INTO pets (name, category_id, status)
      SELECT 'Rex ' || i, i % 10, CASE i % 10 WHEN 0 THEN NULL ELSE
        CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END END FROM n`);
  });
  return { file, key, smallKey };
}

/** Puts many keys into a database at once, on the plan Pro; gives their secrets. */
export function addKeys(file: string, count: number): string[] {
  const now = Date.now();
  const secrets = Array.from({ length: count }, () => mintSecret('live', randomBytes));
  write(file, (database) => {
    const addKey = database.prepare('INSERT INTO keys (id, plan, created_at) VALUES (?, ?, ?)');
    const addSecret = database.prepare('INSERT INTO secrets (hash, key_id, hint, created_at) VALUES (?, ?, ?, ?)');
    for (const secret of secrets) {
      const id = mintKeyId(randomBytes);
      addKey.run(id, 'pro', now);
      addSecret.run(hashSecret(secret), id, secretHint(secret), now);
    }
  });
  return secrets;
}

/** A copy of the database in a folder of its own, which is made; says its path. */
export function copyData(file: string, folder: string): string {
  const copy = join(folder, 'bench.db');
  mkdirSync(folder, { recursive: true });
  copyFileSync(file, copy);
  return copy;
}

/** In one transaction; afterwards the file is whole, without a log beside it. */
function write(file: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  database.exec('BEGIN');
  change(database);
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}
