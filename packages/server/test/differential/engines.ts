import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { startProxy } from '../../../testing/src/postgres/proxy.ts';
import type { TestPostgres } from '../../../testing/src/postgres/server.ts';
import { openStorage, type Storage } from '../../src/operations/storage/index.ts';
import { temporaryDatabase } from '../harness.ts';
import { beginPostgresFault, beginSqliteFault, type FaultName } from './faults.ts';
import { postgresRows, type Rows, sqliteRows } from './rows.ts';

/** A database of one engine, for one sequence. */
export type Database = {
  engine: 'sqlite' | 'postgres';
  open: () => Promise<Storage>;
  /** Begins a fault, and returns how to end it; undefined if it is one of the other engine. */
  begin: (fault: FaultName) => Promise<() => Promise<void>> | undefined;
  /**
   * Resolves when nothing of earlier calls runs in the database any more, with the next IDs as they would be if no transaction
   * had failed: failed ones of PostgreSQL use IDs up.
   *
   * @param last the last ID that was assigned in each table
   */
  settle: (last: ReadonlyMap<string, number>) => Promise<void>;
  rows: () => Promise<Rows>;
  remove: () => Promise<void>;
};

export async function createSqlite(): Promise<Database> {
  const { url, path, remove } = await temporaryDatabase();
  return {
    engine: 'sqlite',
    open: () => openStorage(url),
    begin: (fault) => beginSqliteFault(fault, { path }),
    settle: async () => {},
    rows: async () => sqliteRows(path),
    remove,
  };
}

/** A database behind a proxy, through which faults are injected. */
export async function createPostgres(postgres: TestPostgres): Promise<Database> {
  const proxy = await startProxy(postgres.port);
  const url = await postgres.freshUrl(proxy.port);
  const schema = /search_path%3D(\w+)/.exec(url)?.[1];
  if (schema === undefined) throw new Error('The URL names no schema.');
  const direct = url.replace(`:${proxy.port}/`, `:${postgres.port}/`);
  return {
    engine: 'postgres',
    open: () => whenReachable(() => openStorage(url)),
    begin: (fault) => beginPostgresFault(fault, { postgres, proxy, schema }),
    settle: async (last) => {
      while (Number((await postgres.query(runningTransactions))[0]?.[0]) > 0) await setTimeout(20);
      await withClient(direct, async (client) => {
        for (const [table, id] of last) {
          // A call whose response was lost may have added a row.
          const { rows } = await client.query<{ id: string }>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`);
          const highest = Math.max(id, Number(rows[0]?.id));
          const sequence = [table, Math.max(1, highest), highest > 0];
          await client.query("SELECT setval(pg_get_serial_sequence($1, 'id'), $2, $3)", sequence);
        }
      });
    },
    rows: () => withClient(direct, postgresRows),
    remove: async () => {
      await postgres.query(`SET client_min_messages = error; DROP SCHEMA ${schema} CASCADE`);
      await proxy.stop();
    },
  };
}

/** On a busy machine, connecting may take longer than the server allows. An operator starts the server again. */
async function whenReachable<Result>(open: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StorageUnavailableError) || attempt === 10) throw error;
      await setTimeout(1_000);
    }
  }
}

const runningTransactions =
  "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'animal-store' AND xact_start IS NOT NULL";

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
