import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD, startPostgres, type TestPostgres } from '../../../packages/server/test/postgres/server.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { createWorkplace, type Workplace } from './place.ts';

/**
 * The folder of a PostgreSQL that has `pg_dump`, `psql` and a server, all of one version: `pg_dump` refuses a server that is
 * newer. Undefined without one; the report of the tests says so then.
 */
export function findPostgresWithTools(what: string): string | undefined {
  const chosen = process.env['POSTGRES_BIN'];
  const usual = globSync(['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql@*/bin', '/usr/pgsql-*/bin']);
  const folders = chosen === undefined ? usual.sort().toReversed() : [chosen];
  const found = folders.find((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'psql'].every((program) => existsSync(join(folder, program))),
  );
  if (found === undefined) leaveOut(what, 'install PostgreSQL with its programs (apt-get install postgresql)');
  return found;
}

/** A workplace whose servers are on PostgreSQL, in a database `animals` of the user `store`. */
export type PostgresWorkplace = Workplace & {
  postgres: TestPostgres;
  /** The URL for a user and a database. */
  urlFor: (user: string, password: string, database: string) => string;
};

export const STORE_PASSWORD = 'store';

export async function createPostgresWorkplace(programs: string): Promise<PostgresWorkplace> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres(programs);
  stack.defer(postgres.remove);
  await postgres.query(`CREATE ROLE store LOGIN PASSWORD '${STORE_PASSWORD}'`);
  await postgres.query('CREATE DATABASE animals OWNER store');
  const urlFor = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${postgres.port}/${database}`;
  const place = stack.use(
    createWorkplace({
      DATABASE_URL: urlFor('store', STORE_PASSWORD, 'animals'),
      PATH: `${join(process.execPath, '..')}:${programs}:${process.env['PATH']}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(postgres.port),
      PGUSER: 'tester',
      PGPASSWORD: PASSWORD,
    }),
  );
  const all = stack.move();
  return { ...place, postgres, urlFor, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
