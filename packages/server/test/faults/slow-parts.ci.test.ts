import { expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startTestServer, type TestResponse, type TestServer } from '../harness.ts';

const body = { name: 'Rex', categoryId: 3 };

describeOnPostgres('a slow part of PostgreSQL costs only the calls that need it:', (postgres) => {
  const create = (server: TestServer) => server.call('createPet', { body });
  const createMany = (server: TestServer, count: number) => Array.from({ length: count }, () => create(server));
  const readiness = async (server: TestServer) => (await fetch(`${server.url}/readyz`)).json();
  const statuses = async (calls: Promise<TestResponse>[]) =>
    [...new Set((await Promise.all(calls)).map(({ status }) => status))].sort();

  test('if the server accepts no more connections, the open ones serve every call', async () => {
    using _ = waitLong();
    await postgres.query("CREATE ROLE limited LOGIN PASSWORD 'limited'");
    await postgres.query('CREATE DATABASE limited OWNER limited');
    const databaseUrl = `postgres://limited:limited@127.0.0.1:${postgres.port}/limited`;
    await using one = await startTestServer({ databaseUrl });
    await using other = await startTestServer({ databaseUrl });
    expect(await statuses([create(one), create(other)])).toEqual([201]);
    // Each server has its first connections, and can open no more from now on.
    await postgres.query('ALTER ROLE limited CONNECTION LIMIT 4');
    expect(await statuses([create(one), create(other)])).toEqual([201]);
    const mixed = [one, other].flatMap((server) => [
      ...createMany(server, 30),
      ...Array.from({ length: 30 }, () => server.call('listPets')),
    ]);
    expect(await statuses(mixed)).toEqual([200, 201]);
    expect(await readiness(one)).toEqual({ status: 'ready' });
    expect(await readiness(other)).toEqual({ status: 'ready' });
  });
});
