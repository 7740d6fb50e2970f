import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import type { Order, Report } from './supervisor.ts';

/** A PostgreSQL of one's own. */
export type TestPostgres = {
  /** Its port on loopback; also while it is stopped. */
  readonly port: number;
  /** Makes a place for tables and gives its URL; the tables of each are apart from those of all others. */
  freshUrl: (port?: number) => Promise<string>;
  /** The URL of a database. */
  urlOf: (database: string) => string;
  /** Asks it something, as its administrator. */
  query: (sql: string, database?: string) => Promise<unknown[][]>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
  /** Ends it as a crash does. */
  crash: () => Promise<void>;
};

export const PASSWORD = 'a secret that no message may show';
const supervisor = join(import.meta.dirname, 'supervisor.ts');

/**
 * Starts one. The caller must stop it with `remove`.
 *
 * @param programs the folder of its programs, if it must be a certain one
 */
export async function startPostgres(programs?: string): Promise<TestPostgres & { remove: () => Promise<void> }> {
  const env = programs === undefined ? process.env : { ...process.env, POSTGRES_BIN: programs };
  const child = fork(supervisor, [PASSWORD], { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const order = async (what: Order): Promise<number> => {
    child.send(what);
    const [report]: Report[] = await once(child, 'message');
    if (report !== undefined && 'port' in report) return report.port;
    throw new Error(report?.problem);
  };
  const port = await order('start');
  const urlOf = (database: string, at: number = port) =>
    `postgres://tester:${encodeURIComponent(PASSWORD)}@127.0.0.1:${at}/${database}`;

  async function query(sql: string, database = 'postgres'): Promise<unknown[][]> {
    const client = new pg.Client({ connectionString: urlOf(database) });
    await client.connect();
    try {
      // Several commands at once have an answer each; the last one counts.
      const answer: pg.QueryArrayResult<unknown[]> | pg.QueryArrayResult<unknown[]>[] = await client.query<unknown[]>({
        text: sql,
        rowMode: 'array',
      });
      return [answer].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  // Signing in takes longer than what is asked.
  const administrator = new pg.Pool({ connectionString: urlOf('postgres'), max: 1 });
  administrator.on('error', () => {});
  let count = 0;
  return {
    port,
    urlOf,
    query,
    async freshUrl(at) {
      count += 1;
      // A schema is made in a millisecond; a database copies megabytes.
      await administrator.query(`CREATE SCHEMA test_${count}`);
      return `${urlOf('postgres', at)}?options=${encodeURIComponent(`-c search_path=test_${count}`)}`;
    },
    start: async () => void (await order('start')),
    stop: async () => void (await order('stop')),
    crash: async () => void (await order('crash')),
    async remove() {
      await administrator.end();
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
