import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { PASSWORD } from '../../../../testing/src/postgres/server.ts';
import { StorageSetupError } from '../storage.ts';
import { openNotes, waitLong } from '../suite/notes.ts';

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
