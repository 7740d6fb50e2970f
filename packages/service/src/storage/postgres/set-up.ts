import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { timeouts } from '../../common/time.ts';
import {
  assertOwnDatabase,
  checksum,
  databaseMissing,
  isAdditive,
  type MigrateOption,
  type Migration,
  migrationFailed,
  migrationMissing,
  migrationsOf,
  pendingMigrations,
} from '../migrations/migrations.ts';
import type { Row } from '../rows.ts';
import { StorageSetupError, StorageUnavailableError } from '../storage.ts';
import { types } from './connection.ts';
import { sqlState, translate } from './errors.ts';
import { type DatabaseLimits, defaultLimits, poolConfig, withoutCredentials } from './settings.ts';

const OLDEST_SERVER = 15;

/**
 * Checks that the database can be used, and brings its tables up to date. Returns the names of the migrations that were
 * run.
 * @throws StorageSetupError in one plain sentence
 */
export async function setUp(
  databaseUrl: string,
  store: { name: string; migrations: URL },
  option?: MigrateOption,
  limits: DatabaseLimits = defaultLimits(),
): Promise<string[]> {
  const migrations = migrationsOf('postgres', store);
  try {
    const client = await connectForSetUp(databaseUrl, store.name, limits);
    try {
      await assertUsable(client);
      const run = await migrate(client, migrations, Date.now(), option);
      return run.map(({ name }) => name);
    } finally {
      await client.end();
    }
  } catch (error) {
    if (error instanceof StorageSetupError) throw error;
    throw new StorageSetupError(`The database ${withoutCredentials(databaseUrl)} cannot be opened: ${reason(error)}.`, {
      cause: error,
    });
  }
}

/** A connection without the timeouts of requests, for statements that may take long. */
export async function connectForSetUp(
  databaseUrl: string,
  service: string,
  limits: DatabaseLimits = defaultLimits(),
): Promise<pg.Client> {
  const client = new pg.Client({
    ...poolConfig(databaseUrl, service, limits),
    ...{ types, statement_timeout: 0, lock_timeout: timeouts.setUpLock },
  });
  // The running query reports the error, but an unhandled 'error' event would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function assertUsable(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS number, current_setting('server_encoding') AS encoding,
    current_setting('transaction_read_only') AS reads,
    (SELECT setting::int FROM pg_settings WHERE name = 'lock_timeout') AS lock`);
  const { version, number, encoding, reads, lock } = rows[0] ?? {};
  if (number < OLDEST_SERVER * 10_000) {
    throw new Error(`its server is PostgreSQL ${version}, but ${OLDEST_SERVER} or later is required`);
  }
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, but UTF8 is required`);
  if (reads !== 'off') throw new Error('it is read-only; use the URL of the primary server');
  if (lock !== timeouts.setUpLock) throw new Error(`a proxy drops its settings; ${NO_PROXY}`);
}

const NO_PROXY = 'connect to PostgreSQL itself, not through a pooler such as PgBouncer';

/** The advisory lock for migrations: two arbitrary numbers that are the same in every release. */
const MIGRATION_LOCK = [1_634_627_433, 1_835_887_981];

/**
 * Runs the migrations that the database does not have yet, all or none, and returns them. A second process waits for the first. Without
 * pending migrations it needs only the privilege to read.
 */
export async function migrate(
  client: pg.Client,
  migrations: readonly Migration[],
  now: number,
  option: MigrateOption = 'on-start',
): Promise<readonly Migration[]> {
  if (option === 'never') {
    const [missing] = pendingMigrations(await applied(client), migrations);
    if (missing !== undefined) throw migrationMissing(missing);
    return [];
  }
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', MIGRATION_LOCK);
    const history = await applied(client);
    if (option === 'existing' && history.length === 0) throw databaseMissing(client.database ?? '', 'has no tables');
    const pending = pendingMigrations(history, migrations);
    if (pending.length > 0) await createHistory(client);
    for (const migration of pending) {
      await run(client, migration);
      await client.query(
        `INSERT INTO migrations (number, name, checksum, applied_at, additive)
          SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4 FROM migrations`,
        [migration.name, checksum(migration), now, isAdditive(migration)],
      );
    }
    await client.query('COMMIT');
    return pending;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function run(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    if (translate(error) instanceof StorageUnavailableError) throw error;
    throw migrationFailed('PostgreSQL', migration, error);
  }
}

/**
 * The applied migrations, for `pendingMigrations`.
 * @throws StorageSetupError for a database of another program
 */
async function applied(client: pg.Client): Promise<Row[]> {
  const names = async (sql: string) => (await client.query<[string]>({ text: sql, rowMode: 'array' })).rows.flat();
  const history = await names(
    "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped",
  );
  assertOwnDatabase(history, await names(tablesInSchema));
  if (history.length === 0) return [];
  // As JSON, because servers up to 1.0.0 made the table without that column.
  const { rows: found } = await client.query<unknown[]>({
    text: "SELECT name, checksum, to_jsonb(migrations) -> 'additive' FROM migrations ORDER BY number",
    rowMode: 'array',
  });
  return found;
}

/** The tables of the schema in which new tables are created, without those of extensions. */
const tablesInSchema = `SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'f') AND NOT EXISTS (
    SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
  ORDER BY relname`;

async function createHistory(client: pg.Client): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS migrations (
    number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)`);
  await client.query('ALTER TABLE migrations ADD COLUMN IF NOT EXISTS additive boolean NOT NULL DEFAULT false');
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host does not exist',
  EAI_AGAIN: 'the name of its host cannot be resolved at the moment',
  ECONNREFUSED: 'nothing is listening there',
  ENOENT: 'the socket or certificate file does not exist',
  '28P01': 'the username or the password is wrong',
  '28000': 'the server does not allow this user to connect',
  '3D000': 'the server has no such database; create it with CREATE DATABASE',
  '42501': 'the user is not allowed to change its tables; run npm run migrate as a user that is',
  '55P03': 'its tables have to be changed, but another process has locked them; try again',
};

/** The reason in plain words; neither the driver nor the server repeats a password. */
function reason(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const code = sqlState(error) ?? ('code' in error ? String(error.code) : '');
  const known = reasons[code];
  if (known !== undefined) return known;
  if (/startup parameter/.test(error.message)) return `a proxy refuses its settings; ${NO_PROXY}`;
  if (/timeout expired|connection timeout|timedout/i.test(error.message)) return 'its host does not respond';
  if (/SASL|password must be a string/.test(error.message)) return 'it requires a password, but the URL has none';
  return error.message.replace(/\.$/, '');
}
