import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { root } from '../packages/tooling/src/project.ts';
import { createKey, type ServerOptions } from './server.ts';
import type { Catalogue } from './workloads.ts';

/** A filled database, of which each server gets a copy. */
export type Data = Catalogue & {
  /** Gives a server a new copy. Returns the options with which the server opens it. */
  copyFor(server: ServerOptions): Promise<ServerOptions>;
  /** Removes the copy, after the server has ended. */
  removeCopy(server: ServerOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The statement that fills the catalogue on either engine. A tenth of the pets have no status; the others share three. */
export function fillCatalogue(rows: number): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO pets (name, category_id, status)
    SELECT 'Rex ' || i, i % 10, CASE i % 10 WHEN 0 THEN NULL ELSE
      CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END END FROM n`;
}

/** Creates a SQLite database with our server and fills it. */
export function makeSqliteData(folder: string, rows: number): Data {
  const template = join(folder, 'template');
  mkdirSync(template, { recursive: true });
  const key = createKey({ project: root, data: template });
  const file = join(template, 'bench.db');
  const database = new DatabaseSync(file);
  database.exec(`${fillCatalogue(rows)}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  return {
    rows,
    key,
    manyKeys: [],
    async copyFor(server) {
      mkdirSync(server.data, { recursive: true });
      copyFileSync(file, join(server.data, 'bench.db'));
      return server;
    },
    removeCopy: async ({ data }) => rmSync(data, { recursive: true }),
    async [Symbol.asyncDispose]() {},
  };
}
