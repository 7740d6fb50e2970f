import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import pg from 'pg';
import type { ClusterOptions } from './cluster.ts';
import type { Command, Report } from './supervisor.ts';

/** A separate PostgreSQL for tests. */
export type TestPostgres = {
  /** Its port on loopback, which stays the same while it is stopped. */
  readonly port: number;
  /** Creates a separate schema and returns its URL. */
  freshUrl: (port?: number) => Promise<string>;
  /** The URL of a database. */
  urlOf: (database: string) => string;
  /** Runs a query as its administrator. */
  query: (sql: string, database?: string) => Promise<unknown[][]>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
  /** Stops it as a crash does. */
  crash: () => Promise<void>;
};

export const PASSWORD = 'a secret that no message may show';
const supervisor = join(import.meta.dirname, `supervisor${extname(import.meta.filename)}`);

/**
 * Starts a PostgreSQL. The caller must stop it with `remove`.
 *
 * @param programs the folder of its programs; default: as `findPrograms` returns
 * @param options settings and place of its data, if they are not those for tests
 */
export async function startPostgres(
  programs?: string,
  options: Omit<ClusterOptions, 'password'> = {},
): Promise<TestPostgres & { remove: () => Promise<void> }> {
  const env = programs === undefined ? process.env : { ...process.env, POSTGRES_BIN: programs };
  const child = fork(supervisor, [JSON.stringify({ ...options, password: PASSWORD })], {
    env,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const command = async (what: Command): Promise<number> => {
    child.send(what);
    const [report]: Report[] = await once(child, 'message');
    if (report !== undefined && 'port' in report) return report.port;
    throw new Error(report?.problem);
  };
  const end = async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  };
  const port = await command('start').catch(async (error: unknown) => {
    // The supervisor would keep this process alive.
    await end();
    throw error;
  });
  const urlOf = (database: string, at: number = port) =>
    `postgres://tester:${encodeURIComponent(PASSWORD)}@127.0.0.1:${at}/${database}`;

  async function query(sql: string, database = 'postgres'): Promise<unknown[][]> {
    const client = new pg.Client({ connectionString: urlOf(database) });
    // The query reports the error, but an unhandled 'error' event would end the test file.
    client.on('error', () => {});
    await client.connect();
    try {
      // Several commands in one query each have a result; the last one counts.
      const answer: pg.QueryArrayResult<unknown[]> | pg.QueryArrayResult<unknown[]>[] = await client.query<unknown[]>({
        text: sql,
        rowMode: 'array',
      });
      return [answer].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  // Connecting takes longer than the query itself.
  const administrator = new pg.Pool({ connectionString: urlOf('postgres'), max: 1 });
  administrator.on('error', () => {});
  let count = 0;
  return {
    port,
    urlOf,
    query,
    async freshUrl(at) {
      count += 1;
      // A schema takes a millisecond to create; a database copies megabytes.
      await administrator.query(`CREATE SCHEMA test_${count}`);
      return `${urlOf('postgres', at)}?options=${encodeURIComponent(`-c search_path=test_${count}`)}`;
    },
    start: async () => void (await command('start')),
    stop: async () => void (await command('stop')),
    crash: async () => void (await command('crash')),
    async remove() {
      await administrator.end();
      await end();
    },
  };
}

/** Makes each commit wait for the synchronous replica of that name; '' for none. Resolves when new connections know it. */
export async function setReplica({ query }: Pick<TestPostgres, 'query'>, name: string): Promise<void> {
  await query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await query('SELECT pg_reload_conf()');
  while ((await query('SHOW synchronous_standby_names'))[0]?.[0] !== name);
}
