import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { timeouts } from '../../../service/src/common/time.ts';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { eventually } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startProxy, type TestProxy } from '../../../testing/src/postgres/proxy.ts';
import { PASSWORD, setReplica } from '../../../testing/src/postgres/server.ts';
import { newIdempotencyKey, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { allPets, createStore } from './store.ts';

const rex = { name: 'Rex', categoryId: 3 };

describeOnPostgres('a server whose PostgreSQL', (postgres) => {
  let proxy: TestProxy;
  let server: TestServer;
  let databaseUrl: string;

  beforeEach(async () => {
    proxy = await startProxy(postgres.port);
    databaseUrl = await postgres.freshUrl(proxy.port);
    server = await startTestServer({ databaseUrl });
  });
  afterEach(async () => {
    proxy.set({ kind: 'open' });
    await server.stop();
    await proxy.stop();
    expect(server.log()).not.toMatch(new RegExp(`${PASSWORD}|${encodeURIComponent(PASSWORD)}`));
  });

  const create = (headers: Record<string, string> = {}) => server.call('createPet', { body: rex, headers });
  const list = () => server.call('listPets');
  const readiness = async () => (await fetch(`${server.url}/readyz`)).status;

  const endConnections = () =>
    postgres.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'");

  /** How long this machine needs for as many calls while PostgreSQL answers. */
  let usual: number;
  beforeEach(async () => {
    const start = performance.now();
    // Without /readyz, which shows the last result for a moment.
    await Promise.all(Array.from({ length: 23 }, list));
    usual = performance.now() - start;
  });

  /**
   * Each call gets a 503 with Retry-After within the limits of counting, of waiting for a connection and of one statement, and what the
   * calls themselves take on this machine.
   */
  async function expectAllUnavailable(): Promise<void> {
    const start = performance.now();
    const calls = [create(), list(), ...Array.from({ length: 20 }, () => create())];
    const [ready, ...responses] = await Promise.all([readiness(), ...calls]);
    expect(performance.now() - start).toBeLessThan(timeouts.count + timeouts.wait + timeouts.statement + 30 * usual);
    expect(ready).toBe(503);
    for (const response of responses) expectUnavailable(response);
  }

  async function expectRecovery(): Promise<void> {
    await eventually(async () => (await readiness()) === 200, server.log);
    await eventually(async () => (await create()).status === 201, server.log);
  }

  test('stops responds with 503 within the limits, and recovers when PostgreSQL is back', async () => {
    expect((await create()).status).toBe(201);
    await postgres.stop();
    await expectAllUnavailable();
    await expectAllUnavailable();
    await postgres.start();
    await expectRecovery();
    expect((await list()).body).toHaveLength(2);
  });

  test('is silent, as after a power failure, responds with 503 within the limits, and recovers by itself', async () => {
    await Promise.all(Array.from({ length: 20 }, () => create()));
    proxy.set({ kind: 'silent' });
    await expectAllUnavailable();
    await expectAllUnavailable();
    proxy.set({ kind: 'open' });
    await expectRecovery();
  });

  test('is cut off responds with 503 at once, and recovers by itself', async () => {
    await create();
    proxy.set({ kind: 'cut' });
    await expectAllUnavailable();
    proxy.set({ kind: 'open' });
    await expectRecovery();
  });

  test('is slow waits for it, up to a limit', async () => {
    proxy.set({ kind: 'slow', delay: 50 });
    expect((await create()).status).toBe(201);
    expect((await list()).status).toBe(200);
    proxy.set({ kind: 'slow', delay: 1_500 });
    await expectAllUnavailable();
    proxy.set({ kind: 'open' });
    await expectRecovery();
  });

  test('becomes read-only still lists, refuses creations, and is ready for reads', async () => {
    await create();
    await postgres.query('ALTER ROLE tester SET default_transaction_read_only = on');
    await endConnections();
    try {
      await eventually(async () => (await list()).status === 200, server.log);
      expectUnavailable(await create());
      expect(await readiness()).toBe(200);
    } finally {
      await postgres.query('BEGIN READ WRITE; ALTER ROLE tester RESET default_transaction_read_only; COMMIT');
    }
    await endConnections();
    await expectRecovery();
  });

  test('has a full disk still lists, refuses creations, and is ready for reads', async () => {
    await create();
    const schema = /search_path%3D(\w+)/.exec(databaseUrl)?.[1];
    // PostgreSQL itself sends this error code, because filling a disk would disturb other tests.
    await postgres.query(`
      CREATE FUNCTION ${schema}.fill() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER fill BEFORE INSERT ON ${schema}.pets EXECUTE FUNCTION ${schema}.fill()`);
    expectUnavailable(await create());
    expect((await list()).body).toHaveLength(1);
    expect(await readiness()).toBe(200);
    expect(server.log()).toContain('"unavailable":"the disk of the database is full"');
    await postgres.query(`DROP TRIGGER fill ON ${schema}.pets`);
    await expectRecovery();
  });

  test('is cut off during a commit does not claim that nothing changed, and a retry gets the stored response', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const cut = proxy.cutAfter('COMMIT');
    const lost = await create(headers);
    await cut;
    expectUnavailable(lost);
    expect(lost.body.message).not.toContain('Nothing was changed');
    const again = await create(headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect((await list()).body).toEqual([again.body]);
  });

  test('crashes and starts again loses no acknowledged animal, and stores none twice', async () => {
    const acknowledged = new Map<string, number>();
    let refused = 0;
    let adding = true;
    const add = async (name: string) => {
      const call = { body: { ...rex, name }, headers: { 'idempotency-key': name } };
      for (let tries = 0; tries < 1_000; tries += 1) {
        const response = await server.call('createPet', call);
        if (response.status === 201) return void acknowledged.set(name, response.body.id);
        expectUnavailable(response);
        refused += 1;
        await setTimeout(50);
      }
      throw new Error(`${name} is refused for ever.`);
    };
    const workers = Array.from({ length: 10 }, async (_, worker) => {
      for (let number = 0; adding; number += 1) await add(`pet-${worker}-${number}`);
    });
    try {
      await eventually(() => acknowledged.size >= 50, server.log);
      await postgres.crash();
      await eventually(() => refused > 0, server.log);
      const before = acknowledged.size;
      await postgres.start();
      await eventually(() => acknowledged.size >= before + 50, server.log);
    } finally {
      adding = false;
    }
    await Promise.all(workers);
    const pets = await allPets((query) => server.call('listPets', { query }));
    expect(pets).toHaveLength(acknowledged.size);
    expect(pets.filter(({ id, name }) => acknowledged.get(name) !== id)).toEqual([]);
  });
});

function expectUnavailable(response: TestResponse): void {
  expect([response.status, response.body.code]).toEqual([503, 'service_unavailable']);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(response.body.message).not.toMatch(/postgres|connection|127\.0\.0\.1/i);
}

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

const SERVERS = 4;

describeOnPostgres('four servers on one PostgreSQL', (postgres) => {
  test('process a request with an Idempotency-Key once, even if it reaches all of them at the same time', async () => {
    await using store = await createStore(await postgres.freshUrl());
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => store.start()));
    for (let round = 0; round < 10; round += 1) {
      const headers = { 'idempotency-key': `round-${round}` };
      const responses = await Promise.all(servers.map((server) => server.add('Rex', { headers })));
      expect(responses.map(({ status }) => status)).toEqual(Array(SERVERS).fill(201));
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    }
    const [server] = servers;
    expect(server && (await allPets((query) => server.list(query)))).toHaveLength(10);
  });
});

/** The default `pool_size`. */
const MOST_CONNECTIONS = 8;

describeOnPostgres('a PostgreSQL whose commits hang, because its synchronous replica is gone', (postgres) => {
  const connections = async () => {
    const [[count] = []] = await postgres.query(
      "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'animal-store'",
    );
    return Number(count);
  };

  test('serves every read, takes a bounded number of connections, and writes again when the replica is back', async () => {
    await using server = await startTestServer({ databaseUrl: await postgres.freshUrl() });
    const create = () => server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
    expect((await create()).status).toBe(201);
    await setReplica(postgres, 'gone');
    const reads: number[] = [];
    let slowest = 0;
    const writes: number[] = [];
    const open: number[] = [];
    for (let wave = 0; wave < 5; wave += 1) {
      const creating = Array.from({ length: 10 }, create);
      const listing = Array.from({ length: 10 }, () => server.call('listPets'));
      const startedAt = performance.now();
      reads.push(...(await Promise.all(listing)).map(({ status }) => status));
      slowest = Math.max(slowest, performance.now() - startedAt);
      writes.push(...(await Promise.all(creating)).map(({ status }) => status));
      open.push(await connections());
    }
    expect(new Set(reads)).toEqual(new Set([200]));
    // Their requests cannot be counted either, and wait for that only as long as the counters may take.
    expect(slowest).toBeLessThan(timeouts.count + 1_000);
    expect(new Set(writes)).toEqual(new Set([503]));
    expect(Math.max(...open)).toBeLessThanOrEqual(MOST_CONNECTIONS);
    const last = await create();
    expect(last.body.message).toContain('Nothing was changed');
    await setReplica(postgres, '');
    // The server reads its configuration within a moment.
    await eventually(async () => (await create()).status === 201, server.log);
  });
});
