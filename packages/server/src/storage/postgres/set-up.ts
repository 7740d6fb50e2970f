import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { readMigrations } from '../migrations.ts';
import { StorageSetupError } from '../storage.ts';
import { poolConfig, withoutCredentials } from './connection/settings.ts';
import { types } from './connection/types.ts';
import { sqlState } from './failure.ts';
import { migrate } from './migrate.ts';

const migrationFolder = new URL('../../operations/storage/migrations/postgres/', import.meta.url);
const OLDEST_SERVER = 15;

/** At the start there is more time: another process may be changing the tables, and a first connection is slow. */
const CONNECT = 5_000;
const LOCK = 60_000;

/**
 * Looks whether the server can be used, and brings the tables up to date.
 * @throws StorageSetupError in one plain sentence
 */
export async function setUp(databaseUrl: string): Promise<void> {
  try {
    const client = await connectPatiently(databaseUrl);
    try {
      await assertUsable(client);
      await migrate(client, readMigrations(migrationFolder), Date.now());
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

/** A connection without the time-outs of serving, for what takes as long as it takes. */
export async function connectPatiently(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...poolConfig(databaseUrl),
    types,
    connectionTimeoutMillis: CONNECT,
    statement_timeout: 0,
    query_timeout: 0,
    lock_timeout: LOCK,
  });
  // Whoever waits for an answer learns of it; without a listener the process would end.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function assertUsable(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS number, current_setting('server_encoding') AS encoding,
    current_setting('transaction_read_only') AS reads`);
  const { version, number, encoding, reads } = rows[0] ?? {};
  if (number < OLDEST_SERVER * 10_000) {
    throw new Error(`its server is PostgreSQL ${version}, and ${OLDEST_SERVER} or newer is needed`);
  }
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and UTF8 is needed`);
  if (reads !== 'off') throw new Error('it only reads; name the primary server');
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no host has that name',
  EAI_AGAIN: 'the name of its host cannot be looked up at the moment',
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket, or no such certificate file',
  '28P01': 'the user name or the password is wrong',
  '28000': 'the server does not let this user in',
  '3D000': 'the server has no such database; make it with CREATE DATABASE',
  '42501': 'the user may not change it',
  '53300': 'the server has too many connections already',
  '55P03': 'its tables are to be changed, and another process holds them; try again',
  '57P03': 'the server is starting or stopping; try again',
};

/** In plain words; neither the driver nor the server repeats a password. */
function reason(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const code = sqlState(error) ?? ('code' in error ? String(error.code) : '');
  const known = reasons[code];
  if (known !== undefined) return known;
  if (/timeout/i.test(error.message)) return 'its host does not answer';
  if (/SASL|password must be a string/.test(error.message)) return 'it wants a password, and the URL has none';
  return error.message.replace(/\.$/, '');
}
