import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { canHavePostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startProxy, type TestProxy } from '../../../testing/src/postgres/proxy.ts';
import { setReplica } from '../../../testing/src/postgres/replica.ts';
import { startPostgres, type TestPostgres } from '../../../testing/src/postgres/server.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const rex = { name: 'Rex', categoryId: 3, status: 'available' };
const describeOrSkip = canHavePostgres() ? describe : describe.skip;

type Removable = TestPostgres & { remove: () => Promise<void> };

/** A URL with several hosts, all on this machine. */
function urlWith(postgres: TestPostgres, database: string, ports: number[]): string {
  return postgres.urlOf(database).replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join());
}

function startReplica(primary: TestPostgres): Promise<Removable> {
  return startPostgres(undefined, { primary: primary.port });
}

/** Ends the connections that asked for the position of the primary server last. */
const breakPositions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE '%pg_current_wal_flush_lsn%' AND pid <> pg_backend_pid()`;

async function startDisposableProxy(port: number) {
  const proxy = await startProxy(port);
  return Object.assign(proxy, { [Symbol.asyncDispose]: proxy.stop });
}

async function create(server: TestServer): Promise<number> {
  const created = await server.call('createPet', { body: rex });
  expect(created).toMatchObject({ status: 201 });
  return created.body.id;
}

const get = (server: TestServer, petId: number, key = server.key) => server.call('getPet', { path: { petId }, key });

/** In seconds, as the metrics have it. */
async function lagOf({ metricsPort }: TestServer): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^animal_store_replica_lag_seconds\{.*\} (.*)$/m.exec(text)?.[1]?.replace('+Inf', 'Infinity'));
}

async function followed(server: TestServer): Promise<void> {
  await eventually(
    async () => (await lagOf(server)) < 0.5,
    () => 'The replica did not catch up.',
  );
}

describeOrSkip('streaming replicas', () => {
  let primary: Removable;
  let replica: Removable;
  /** In front of the replica. */
  let proxy: TestProxy;
  /** How often a replica was asked for animals. */
  let reads: () => number;
  let count = 0;

  beforeAll(async () => {
    primary = await startPostgres();
    replica = await startReplica(primary);
    proxy = await startProxy(replica.port);
    reads = proxy.count('pets.');
  }, 60_000);
  afterAll(async () => {
    await proxy.stop();
    await Promise.all([primary, replica].map((server) => server.remove()));
  });

  async function freshDatabase(): Promise<string> {
    count += 1;
    await primary.query(`CREATE DATABASE replicated_${count}`);
    return `replicated_${count}`;
  }

  async function startWith(database: string, ports = [primary.port]) {
    const databaseReadUrl = urlWith(primary, database, [proxy.port]);
    const config = { databaseReadUrl, metrics: { host: '127.0.0.1', port: 0 } };
    const server = await startTestServer({ databaseUrl: urlWith(primary, database, ports), config });
    await followed(server);
    return server;
  }

  test('answer reads, and a caller sees its own writes through another server', async () => {
    const database = await freshDatabase();
    await using one = await startWith(database);
    await using other = await startWith(database);
    const before = reads();
    for (let round = 0; round < 100; round += 1) {
      const petId = await create(one);
      // A connection that breaks hides nothing, either.
      if (round % 10 === 0) await primary.query(breakPositions, database);
      const found = await get(other, petId, one.key);
      expect(found).toMatchObject({ status: 200, body: { id: petId } });
      expect(found.headers.get('age')).toBeNull();
    }
    expect(reads() - before).toBeGreaterThan(50);
  });

  test('hide no write while they do not replay, and answer again when they have caught up', async () => {
    const database = await freshDatabase();
    await using server = await startWith(database);
    const first = await create(server);
    const readMany = () => Promise.all(Array.from({ length: 50 }, () => get(server, first)));
    await replica.query('SELECT pg_wal_replay_pause()');
    try {
      for (let round = 0; round < 20; round += 1) {
        expect(await get(server, await create(server))).toMatchObject({ status: 200 });
        await setTimeout(100);
      }
      expect(await lagOf(server)).toBeGreaterThan(1);
      const before = reads();
      await readMany();
      expect(reads()).toBe(before);
    } finally {
      await replica.query('SELECT pg_wal_replay_resume()');
    }
    await followed(server);
    const before = reads();
    await readMany();
    expect(reads()).toBeGreaterThan(before);
  });

  test.each(['silent', 'cut'] as const)('are left out within a second while their network is %s', async (kind) => {
    const database = await freshDatabase();
    await using server = await startWith(database);
    const petId = await create(server);
    proxy.set({ kind });
    const startedAt = performance.now();
    const statuses: number[] = [];
    let slowest = 0;
    await eventually(
      async () => {
        const askedAt = performance.now();
        statuses.push((await get(server, petId)).status);
        slowest = Math.max(slowest, performance.now() - askedAt);
        return (await lagOf(server)) === Number.POSITIVE_INFINITY;
      },
      () => 'The replica was not left out.',
    );
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A read that waits for its answer until the timeout of a statement takes longer.
    expect(slowest).toBeLessThan(1_200);
    proxy.set({ kind: 'open' });
    await followed(server);
    expect(await get(server, petId)).toMatchObject({ status: 200 });
  });

  test('answer without a primary server, and say how old their data may be', async () => {
    const database = await freshDatabase();
    await using server = await startWith(database);
    const unused = await server.createKey();
    const petId = await create(server);
    await primary.crash();
    try {
      await setTimeout(1_500);
      for (const key of [server.key, unused]) {
        const found = await get(server, petId, key);
        expect(found).toMatchObject({ status: 200, body: { id: petId } });
        expect(Number(found.headers.get('age'))).toBeGreaterThanOrEqual(1);
        expect(Number(found.headers.get('age'))).toBeLessThan(60);
      }
      const missing = await get(server, 999_999);
      expect(missing).toMatchObject({ status: 404 });
      expect(missing.headers.get('age')).not.toBeNull();
      expect(await server.call('createPet', { body: rex })).toMatchObject({ status: 503 });
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    } finally {
      await primary.start();
    }
    await followed(server);
    const found = await get(server, await create(server));
    expect(found).toMatchObject({ status: 200 });
    expect(found.headers.get('age')).toBeNull();
  });

  test('answer while the primary server is silent, and when it is back, a caller sees its own writes again', async () => {
    const database = await freshDatabase();
    await using network = await startDisposableProxy(primary.port);
    await using server = await startWith(database, [network.port]);
    const petId = await create(server);
    await get(server, petId);
    network.set({ kind: 'silent' });
    const found = await Promise.all(Array.from({ length: 20 }, () => get(server, petId)));
    for (const { status, headers } of found) expect([status, headers.has('age')]).toEqual([200, true]);
    network.set({ kind: 'open' });
    await followed(server);
    await eventually(
      async () => (await server.call('createPet', { body: rex })).status === 201,
      () => 'The primary server is not used again.',
    );
    const again = await get(server, await create(server));
    expect([again.status, again.headers.has('age')]).toEqual([200, false]);
  });

  test('lose nothing when one is promoted under load, and serve again when the old primary server is rebuilt', async () => {
    const database = await freshDatabase();
    await using server = await startWith(database, [primary.port, replica.port]);
    // Each commit waits for the replica.
    await setReplica(primary, 'replica');
    const acknowledged: number[] = [];
    const lastKey = await server.createKey();
    let isOver = false;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        const key = await server.createKey();
        while (!isOver) {
          const created = await server.call('createPet', { body: rex, key });
          if (created.status === 201) {
            acknowledged.push(created.body.id);
            const found = await get(server, created.body.id, key);
            // Only a server that is away may hide it.
            if (found.status === 404) expect(found.headers.get('age')).not.toBeNull();
          } else await setTimeout(20);
        }
      }),
    );
    let before = 0;
    let rebuilt: Removable | undefined;
    try {
      await setTimeout(500);
      await primary.crash();
      await replica.query('SELECT pg_promote()');
      before = acknowledged.length;
      await eventually(
        () => acknowledged.length > before + 200,
        () => `No writes succeeded after the promotion: ${server.log().slice(-2_000)}`,
        0.3,
      );
      rebuilt = await startReplica(replica);
      proxy.leadTo(rebuilt.port);
      await followed(server);
    } finally {
      isOver = true;
      await load;
    }
    expect(before).toBeGreaterThan(0);
    const [row] = await replica.query(
      `SELECT count(*) FROM pets WHERE id = ANY ('{${acknowledged.join()}}')`,
      database,
    );
    expect(Number(row?.[0])).toBe(acknowledged.length);
    const readsBefore = reads();
    await eventually(
      async () => (await get(server, acknowledged[0] ?? 0, lastKey)).status === 200 && reads() > readsBefore,
      () => 'The rebuilt replica is not used.',
    );
    await server.stop();
    await rebuilt.remove();
  }, 60_000);
});
