import { expect, test } from '@jest/globals';
import pg from 'pg';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { LEFT } from './abandoned.ts';

describeOnPostgres('an abandoned backend', (postgres) => {
  test('is ended, but not a later one with its process ID, as after a restart of PostgreSQL', async () => {
    const [administrator, client] = [0, 1].map(() => new pg.Client({ connectionString: postgres.urlOf('postgres') }));
    if (administrator === undefined || client === undefined) throw new Error('There are two clients.');
    client.on('error', () => {});
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await Promise.all([administrator.connect(), client.connect()]);
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const left = async (seconds: number) =>
      (await administrator.query(LEFT.text, [[rows[0]?.pid], [seconds]])).rowCount;
    // Given up an hour ago, before this backend started.
    expect(await left(3_600)).toBe(0);
    expect((await client.query('SELECT 1')).rowCount).toBe(1);
    expect(await left(0)).toBe(1);
    await ended;
    expect(await left(0)).toBe(0);
    await administrator.end();
  });
});
