import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../packages/testing/src/postgres/server.ts';
import { startRedis } from '../../packages/testing/src/redis.ts';
import { root } from '../../packages/tooling/src/project.ts';
import { hashSecret, mintKeyId, mintSecret, secretHint } from '../server/internals.ts';
import { createKeys, type Data, type DatabaseUsage, FILL_CATALOGUE } from './data.ts';

/** Enough that a server finds few requests of the same key to count together; every server remembers more keys than that. */
const MANY_KEYS = 5_000;

/** PostgreSQL's own defaults, so that a commit is on disk, and connections for two processes of every server. */
const settings = { fsync: 'on', shared_buffers: '128MB', deadlock_timeout: '1s', max_connections: '300' };

/** The database that is copied for each server. */
const TEMPLATE = 'template_catalogue';

/**
 * Starts PostgreSQL, creates a database with our server and fills it.
 * @param folder the folder of the run
 * @param redis the program of a Redis that our server counts in; undefined to count in PostgreSQL
 */
export async function makePostgresData(folder: string, redis: string | undefined): Promise<Data> {
  await using started = new AsyncDisposableStack();
  // Its own folder, because the one of the run is closed to the user that PostgreSQL runs as.
  const postgres = await startPostgres(undefined, { settings, folder: join(folder, '..') });
  started.defer(() => postgres.remove());
  const counting = redis === undefined ? undefined : started.use(await startRedis(redis));
  // PostgreSQL ends with this process, but Redis would keep running after an interruption.
  if (counting !== undefined) process.once('exit', () => void counting.kill());
  const administrator = await connect(postgres.urlOf('postgres'));
  started.defer(() => administrator.end());

  await administrator.query(`CREATE DATABASE ${TEMPLATE}`);
  const template = { DATABASE_URL: postgres.urlOf(TEMPLATE) };
  const keys = createKeys({ project: root, data: join(folder, 'template'), environment: template });
  const manyKeys = await fill(template.DATABASE_URL);
  const { rows } = await administrator.query<{ server_version: string }>('SHOW server_version');
  const running = started.move();
  return {
    ...keys,
    manyKeys,
    async copyFor(server) {
      const name = databaseOf(server.data);
      await administrator.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      const environment = { DATABASE_URL: postgres.urlOf(name), ...(counting && { REDIS_URL: counting.url }) };
      return { ...server, environment: { ...server.environment, ...environment } };
    },
    async removeCopy({ data }) {
      await administrator.query(`DROP DATABASE ${databaseOf(data)} WITH (FORCE)`);
      rmSync(data, { recursive: true, force: true });
    },
    postgres: {
      port: postgres.port,
      usage: () => usageOf(administrator),
      description: {
        version: rows[0]?.server_version ?? 'unknown',
        counting: counting === undefined ? 'PostgreSQL' : 'Redis',
      },
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function databaseOf(folder: string): string {
  return basename(folder).replaceAll('-', '_');
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/** Adds the catalogue and many keys with the limits of the first one. Returns the secrets of the keys. */
async function fill(url: string): Promise<string[]> {
  const secrets = Array.from({ length: MANY_KEYS }, () => mintSecret('as', 'live', randomBytes));
  const ids = secrets.map(() => mintKeyId(randomBytes));
  const client = await connect(url);
  try {
    await client.query(FILL_CATALOGUE);
    await client.query(
      `INSERT INTO keys (id, plan, per_minute, per_day, created_at)
        SELECT added.id, plan, per_minute, per_day, created_at FROM unnest($1::text[]) AS added (id), keys
        WHERE per_minute IS NOT NULL`,
      [ids],
    );
    await client.query(
      `INSERT INTO secrets (hash, key_id, hint, created_at)
        SELECT hash, keys.id, hint, created_at FROM unnest($1::bytea[], $2::text[], $3::text[]) AS added (hash, id, hint)
        JOIN keys ON keys.id = added.id`,
      [secrets.map(hashSecret), ids, secrets.map(secretHint)],
    );
    // Otherwise the first queries of each copy would do this work, or the database in the background of a round.
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
  return secrets;
}

/**
 * Every transaction that writes gets the next transaction ID, so the IDs count them at once and exactly; `xact_commit` also counts
 * reads, and late. The processor time is that of the postmaster and its children, in the nanoseconds of the kernel's scheduler, because
 * a tick of `utime` is a tenth of a short round.
 */
async function usageOf(client: pg.Client): Promise<DatabaseUsage> {
  const { rows } = await client.query<{ next: string; pid: number }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next, pg_backend_pid() AS pid',
  );
  const [{ next, pid } = { next: '', pid: 0 }] = rows;
  return { writes: Number(next), cpu: new Map(processesOf(pid).map((id) => [id, cpuOf(id)])) };
}

/** All processes of the PostgreSQL that has this backend; none without /proc. */
function processesOf(backend: number): number[] {
  if (!existsSync(`/proc/${backend}`)) return [];
  const postmaster = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${backend}/status`, 'utf8'))?.[1]);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  return [postmaster, ...children.trim().split(' ').map(Number)];
}

/** Microseconds; 0 if the process has just ended. */
function cpuOf(id: number): number {
  try {
    return Number(readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return 0;
  }
}
