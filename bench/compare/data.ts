import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { root } from '../../packages/tooling/src/project.ts';
import { createKey, type ServerOptions } from '../server/server.ts';
import type { Results } from './results.ts';

export const engineNames = ['sqlite', 'postgres'] as const;

export type EngineName = (typeof engineNames)[number];

/** The number of pets in the catalogue. */
export const PETS = 100_000;

/** Fills the catalogue on either engine. A tenth of the pets have no status; the others share three. */
export const FILL_CATALOGUE = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PETS})
  INSERT INTO pets (name, category_id, status)
  SELECT 'Rex ' || i, i % 10, CASE i % 10 WHEN 0 THEN NULL ELSE
    CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END END FROM n`;

/** The API keys in a database. */
export type Keys = {
  /** A key that never exceeds its quota. */
  key: string;
  /** A key on the smallest plan, which exceeds its quota. */
  smallKey: string;
  /** More keys that never exceed their quota; only on PostgreSQL. */
  manyKeys: readonly string[];
};

/** A filled database, of which each server gets a copy. */
export type Data = Keys & {
  /** Gives a server a new copy. Returns the options with which the server opens it. */
  copyFor(server: ServerOptions): Promise<ServerOptions>;
  /** Removes the copy, after the server has ended. */
  removeCopy(server: ServerOptions): Promise<void>;
  /** The PostgreSQL with the copies; undefined for SQLite, which works within the servers. */
  postgres?: {
    port: number;
    usage: () => Promise<DatabaseUsage>;
    description: NonNullable<Results['database']>;
  };
  [Symbol.asyncDispose](): Promise<void>;
};

export type DatabaseUsage = {
  /** The number of transactions that wrote something, in all databases. */
  writes: number;
  /** Microseconds of processor time of each process, by its ID. */
  cpu: ReadonlyMap<number, number>;
};

/** Creates keys, and the database if it does not exist. */
export function createKeys(server: ServerOptions): Pick<Keys, 'key' | 'smallKey'> {
  return { key: createKey(server), smallKey: createKey(server, ['--plan', 'free']) };
}

/** Creates a database of SQLite with our server and fills it. */
export function makeSqliteData(folder: string): Data {
  mkdirSync(folder, { recursive: true });
  const keys = createKeys({ project: root, data: folder });
  const file = join(folder, 'bench.db');
  const database = new DatabaseSync(file);
  database.exec(`${FILL_CATALOGUE}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  return {
    ...keys,
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
