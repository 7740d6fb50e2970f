import { describe, expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { canHavePgBouncer, startPgBouncer } from '../../../testing/src/postgres/pgbouncer.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { startTestServer } from '../harness.ts';

const describeOrSkip = canHavePgBouncer() ? describe : describe.skip;

describeOrSkip('through PgBouncer in transaction mode', () => {
  describeOnPostgres('a server', (postgres) => {
    const user = { name: 'pooled', password: 'secret' };
    let count = 0;

    /** A database whose owner is `user`. */
    async function freshDatabase(): Promise<string> {
      count += 1;
      if (count === 1) await postgres.query(`CREATE ROLE pooled LOGIN PASSWORD '${user.password}'`);
      await postgres.query(`CREATE DATABASE pooled_${count} OWNER pooled`);
      return `pooled_${count}`;
    }

    async function refusal(url: string): Promise<string> {
      const storage = await openStorage(url).catch((error: unknown) => error);
      return storage instanceof Error ? storage.message : 'The start was not refused.';
    }

    test.each([
      ['refuses its settings', [], 'refuses'],
      [
        'drops its settings',
        ['ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout'],
        'drops',
      ],
    ])('refuses to start if the URL does not name the pooler, and that %s', async (_, settings, verb) => {
      const database = await freshDatabase();
      await using pooler = await startPgBouncer(postgres.port, user, settings);
      expect(await refusal(pooler.urlOf(database))).toContain(
        `cannot be opened: a proxy ${verb} its settings; if it is PgBouncer, add pgbouncer=true to the URL.`,
      );
    });

    test('refuses to start if the user has no timeouts, and says how to set them', async () => {
      const database = await freshDatabase();
      await using pooler = await startPgBouncer(postgres.port, user);
      expect(await refusal(`${pooler.urlOf(database)}?pgbouncer=true`)).toContain(
        'run ALTER ROLE pooled SET statement_timeout = 1100 and ALTER ROLE pooled SET idle_in_transaction_session_timeout = 5000',
      );
    });

    test('serves every call over fewer connections than its own pool has, counts exactly, and is ready', async () => {
      const database = await freshDatabase();
      using _ = waitLong();
      await postgres.query('ALTER ROLE pooled SET statement_timeout = 70000');
      await postgres.query('ALTER ROLE pooled SET idle_in_transaction_session_timeout = 90000');
      await using pooler = await startPgBouncer(postgres.port, user);
      const databaseUrl = `${pooler.urlOf(database)}?pgbouncer=true&pool_size=10`;
      await using one = await startTestServer({ databaseUrl });
      await using other = await startTestServer({ databaseUrl });
      const body = { name: 'Rex', categoryId: 3 };
      const calls = Array.from({ length: 100 }, async (_, index) => {
        const server = index % 2 === 0 ? one : other;
        const headers = { 'idempotency-key': `call-${index >> 1}` };
        const created = await server.call('createPet', { body, headers, key: one.key });
        expect(created).toMatchObject({ status: 201 });
        const found = await server.call('getPet', { path: { petId: created.body.id }, key: one.key });
        expect(found).toMatchObject({ status: 200 });
        const listed = await server.call('listPets', { query: { limit: 1 }, key: one.key });
        expect(listed).toMatchObject({ status: 200 });
      });
      await Promise.all(calls);
      expect(await one.call('listPets', { query: { limit: 100 } }).then((response) => response.body)).toHaveLength(50);
      const free = await one.createKey('free');
      const responses = await Promise.all(
        Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? one : other).call('listPets', { key: free })),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(60);
      expect((await fetch(`${one.url}/readyz`)).status).toBe(200);
    });
  });
});
