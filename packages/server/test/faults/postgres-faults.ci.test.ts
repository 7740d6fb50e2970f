import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { timeouts } from '../../../service/src/common/time.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startProxy, type TestProxy } from '../../../testing/src/postgres/proxy.ts';
import { PASSWORD } from '../../../testing/src/postgres/server.ts';
import { newIdempotencyKey, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import { allPets } from './store.ts';

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
    while ((await readiness()) !== 200) await setTimeout(20);
    while ((await create()).status !== 201) await setTimeout(20);
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
      while ((await list()).status !== 200) await setTimeout(20);
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
      for (;;) {
        const response = await server.call('createPet', call);
        if (response.status === 201) return void acknowledged.set(name, response.body.id);
        expectUnavailable(response);
        refused += 1;
        await setTimeout(50);
      }
    };
    const workers = Array.from({ length: 10 }, async (_, worker) => {
      for (let number = 0; adding; number += 1) await add(`pet-${worker}-${number}`);
    });
    while (acknowledged.size < 50) await setTimeout(5);
    await postgres.crash();
    while (refused === 0) await setTimeout(5);
    const before = acknowledged.size;
    await postgres.start();
    while (acknowledged.size < before + 50) await setTimeout(5);
    adding = false;
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
