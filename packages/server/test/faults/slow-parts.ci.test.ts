import { expect, test } from '@jest/globals';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { eventually } from '../../../testing/src/child.ts';
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

  test('connections to a read-only server are replaced, and the call runs again on a new one', async () => {
    await using server = await startTestServer({ databaseUrl: await postgres.freshUrl() });
    await create(server);
    await postgres.query('ALTER ROLE tester SET default_transaction_read_only = on');
    await postgres.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'",
    );
    try {
      // The server has several connections, all of them read-only.
      await eventually(
        async () => (await statuses(Array.from({ length: 20 }, () => server.call('listPets')))).join() === '200',
        () => 'Nothing can be read.',
      );
      // Reads work, so a load balancer must not take the server out.
      expect(await readiness(server)).toEqual({ status: 'ready' });
    } finally {
      await postgres.query('BEGIN READ WRITE; ALTER ROLE tester RESET default_transaction_read_only; COMMIT');
    }
    expect(await statuses(createMany(server, 20))).toEqual([201]);
    expect(await readiness(server)).toEqual({ status: 'ready' });
  });

  test.each([30, 100])(
    'while PostgreSQL is paused, %d callers get 503, and calls succeed again when it continues',
    async (callers) => {
      await using server = await startTestServer({ databaseUrl: await postgres.freshUrl() });
      expect(await statuses(createMany(server, 10))).toEqual([201]);
      const [pid] = String((await postgres.query("SELECT pg_read_file('postmaster.pid')"))[0]?.[0]).split('\n');
      const backends = (await postgres.query('SELECT pid FROM pg_stat_activity')).flat();
      const signal = (name: NodeJS.Signals) => {
        for (const one of [pid, ...backends].map(Number)) if (isAlive(one)) process.kill(one, name);
      };
      signal('SIGSTOP');
      try {
        const [ready, found] = await Promise.all([readiness(server), statuses(createMany(server, callers))]);
        expect(found).toEqual([503]);
        expect(ready).toEqual({ status: 'storage unavailable', reason: 'the database does not answer' });
      } finally {
        signal('SIGCONT');
      }
      await eventually(
        async () => (await readiness(server)).status === 'ready',
        () => server.log(),
      );
      expect(await statuses(createMany(server, callers))).toEqual([201]);
    },
  );
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
