import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { PASSWORD } from '../../../../testing/src/postgres/server.ts';
import type { Migration } from '../migrations/migrations.ts';
import { StorageSetupError } from '../storage.ts';
import { openNotes, waitLong } from '../suite/notes.ts';
import { connectForSetUp, migrate } from './set-up.ts';

// These tests are not about timeouts.
waitLong();

/** The message for the operator if a database cannot be opened. */
async function refusal(url: string): Promise<string> {
  const error: unknown = await openNotes(url).then(
    (storage) => storage.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof StorageSetupError))
    throw new Error('It was opened, or something else went wrong.', { cause: error });
  return error.message;
}

describe('a PostgreSQL that cannot be reached', () => {
  test('because its host cannot be resolved, is named without user and password', async () => {
    expect(await refusal('postgres://user:secret@no-such-host.invalid/notes')).toMatch(
      /^The database postgres:\/\/no-such-host\.invalid\/notes cannot be opened: (its host does not exist|the name of its host cannot be resolved at the moment)\.$/,
    );
  });

  test('because nothing listens, is named', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await refusal(`postgres://user:secret@127.0.0.1:${port}/notes`)).toBe(
      `The database postgres://127.0.0.1:${port}/notes cannot be opened: nothing is listening there.`,
    );
  });
});

describeOnPostgres('a PostgreSQL that refuses the server', (postgres) => {
  const named = (database: string) =>
    `The database postgres://127.0.0.1:${postgres.port}/${database} cannot be opened:`;

  test('for a wrong password', async () => {
    const url = postgres.urlOf('postgres').replace(encodeURIComponent(PASSWORD), 'wrong');
    expect(await refusal(url)).toBe(`${named('postgres')} the username or the password is wrong.`);
  });

  test('for no password', async () => {
    const url = postgres.urlOf('postgres').replace(`:${encodeURIComponent(PASSWORD)}`, '');
    expect(await refusal(url)).toBe(`${named('postgres')} it requires a password, but the URL has none.`);
  });

  test('for a database that does not exist', async () => {
    expect(await refusal(postgres.urlOf('nowhere'))).toBe(
      `${named('nowhere')} the server has no such database; create it with CREATE DATABASE.`,
    );
  });

  test('for an encoding that cannot store every name', async () => {
    await postgres.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    expect(await refusal(postgres.urlOf('latin'))).toBe(
      `${named('latin')} its encoding is LATIN1, but UTF8 is required.`,
    );
  });

  test('for a read-only replica', async () => {
    await postgres.query('CREATE DATABASE replica');
    await postgres.query('ALTER DATABASE replica SET default_transaction_read_only = on');
    expect(await refusal(postgres.urlOf('replica'))).toBe(
      `${named('replica')} it is read-only; use the URL of the primary server.`,
    );
  });

  test('for a missing certificate', async () => {
    const url = `${postgres.urlOf('postgres')}?sslmode=require`;
    expect(await refusal(url)).toBe(`${named('postgres')} The server does not support SSL connections.`);
  });
});

// These tests are not about timeouts.
waitLong();

const first: Migration = { name: '0001-first.sql', sql: 'CREATE TABLE one (id bigint);' };
const second: Migration = { name: '0002-second.sql', sql: 'CREATE TABLE two (id bigint);' };
const broken: Migration = { name: '0002-broken.sql', sql: 'CREATE TABLE two (id bigint); CREATE TABEL x;' };

describeOnPostgres('migrate', (postgres) => {
  /** Migrates a database, and returns the names of its tables. */
  async function run(url: string, migrations: Migration[], now = 1_000): Promise<string[]> {
    const client = await connectForSetUp(url, 'service');
    try {
      await migrate(client, migrations, now);
      const { rows } = await client.query(
        'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename',
      );
      return rows.map(({ tablename }) => tablename);
    } finally {
      await client.end();
    }
  }

  async function applied(url: string) {
    const client = await connectForSetUp(url, 'service');
    const { rows } = await client.query('SELECT number, name, applied_at FROM migrations ORDER BY number');
    await client.end();
    return rows;
  }

  test('changes nothing if a migration fails', async () => {
    const url = await postgres.freshUrl();
    await run(url, [first]);
    await expect(run(url, [first, broken])).rejects.toThrow('syntax error');
    expect(await applied(url)).toHaveLength(1);
    expect(await run(url, [first, second])).toEqual(['migrations', 'one', 'two']);
  });

  test.each([
    ['CREATE TABLE two (id bigint, UNIQU (id));', 'syntax error at or near "("'],
    ['CREATE TABLE one (id bigint);', 'relation "one" already exists'],
  ])('names the file that has the mistake in %s, and says what to do', async (sql, reason) => {
    const url = await postgres.freshUrl();
    await expect(run(url, [first, { name: '0002-broken.sql', sql }])).rejects.toThrow(
      expect.objectContaining({
        name: 'MigrationError',
        message: `The PostgreSQL migration 0002-broken.sql fails: ${reason}. The database was not changed. Correct the file, or report this if it came with a release.`,
      }),
    );
  });

  test('that waits for a lock too long asks the operator to try again, and names no file', async () => {
    const url = await postgres.freshUrl();
    await run(url, [first]);
    const other = await connectForSetUp(url, 'service');
    await other.query('BEGIN; LOCK TABLE one');
    const waiting = { ...second, sql: "SET LOCAL lock_timeout = '50ms'; ALTER TABLE one ADD COLUMN two bigint" };
    await expect(run(url, [first, waiting])).rejects.toMatchObject({ code: '55P03' });
    await other.end();
  });

  test('runs once for ten at once: the others wait for the first', async () => {
    const url = await postgres.freshUrl();
    const slow = { ...second, sql: `SELECT pg_sleep(0.2); ${second.sql}` };
    const tables = await Promise.all(Array.from({ length: 10 }, (_, now) => run(url, [first, slow], now)));
    expect(tables).toEqual(Array(10).fill(['migrations', 'one', 'two']));
    expect(new Set((await applied(url)).map(({ applied_at }) => applied_at)).size).toBe(1);
  });
});
