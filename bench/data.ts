import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hashSecret, mintKeyId, mintSecret, secretHint } from '../packages/service/src/keys/key-format.ts';
import { startPostgres } from '../packages/testing/src/postgres/server.ts';
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
function fillCatalogue(rows: number): string {
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

/** Enough that a server finds few requests of the same key to count together; both servers remember more keys than that. */
const MANY_KEYS = 5_000;

/** PostgreSQL's own defaults instead of those for tests, so that a commit is on disk. */
const settings = { fsync: 'on', shared_buffers: '128MB', deadlock_timeout: '1s' };

/** The database that is copied for each server. */
const TEMPLATE = 'template_catalogue';

/**
 * Starts PostgreSQL, creates a database with our server and fills it.
 * @param folder the folder of the run
 */
export async function makePostgresData(folder: string, rows: number): Promise<Data> {
  // Its own folder, because the one of the run is closed to the user that PostgreSQL runs as.
  const postgres = await startPostgres(undefined, { settings, folder: join(folder, '..') });
  await postgres.query(`CREATE DATABASE ${TEMPLATE}`);
  const template = { DATABASE_URL: postgres.urlOf(TEMPLATE) };
  const key = createKey({ project: root, data: join(folder, 'template'), environment: template });
  const manyKeys = Array.from({ length: MANY_KEYS }, () => mintSecret('as', 'live', randomBytes));
  await postgres.query(`${fillCatalogue(rows)}; ${addKeys(manyKeys)}`, TEMPLATE);
  // Otherwise the first queries of each copy would do this work, or the database in the background of a round.
  await postgres.query('VACUUM (ANALYZE)', TEMPLATE);
  return {
    rows,
    key,
    manyKeys,
    async copyFor(server) {
      const name = basename(server.data);
      await postgres.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      return { ...server, environment: { ...server.environment, DATABASE_URL: postgres.urlOf(name) } };
    },
    async removeCopy({ data }) {
      await postgres.query(`DROP DATABASE ${basename(data)} WITH (FORCE)`);
      rmSync(data, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => postgres.remove(),
  };
}

/** Statements that add keys with these secrets, and with the limits of the only key. */
function addKeys(secrets: readonly string[]): string {
  const rows = secrets.map((secret) => {
    return `('${mintKeyId(randomBytes)}', '\\x${hashSecret(secret).toString('hex')}'::bytea, '${secretHint(secret)}')`;
  });
  return `CREATE TEMPORARY TABLE added AS SELECT * FROM (VALUES ${rows.join()}) AS rows (id, hash, hint);
    INSERT INTO keys (id, plan, per_minute, per_day, created_at)
      SELECT added.id, plan, per_minute, per_day, created_at FROM added, keys;
    INSERT INTO secrets (hash, key_id, hint, created_at)
      SELECT hash, id, hint, created_at FROM added JOIN keys USING (id)`;
}
