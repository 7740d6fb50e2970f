import { plans } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyRing } from '../../service/src/keys/key-ring.ts';
import { canHavePostgres } from '../../testing/src/postgres/in-tests.ts';
import { startPostgres } from '../../testing/src/postgres/server.ts';
import { openStorage, type Storage } from '../src/operations/storage/index.ts';
import { callOperation, temporaryDatabase } from './harness.ts';
import { type ServerProcess, startProcess } from './process.ts';
import { runProcess } from './service/cli/cli-fixture.ts';

const running: ServerProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.end('SIGKILL')));
});

async function start(environment: Record<string, string>): Promise<ServerProcess> {
  const server = await startProcess(environment);
  running.push(server);
  return server;
}

/** Operators see the use of a key, regardless of the processes that served it. */
function describeActivity(freshUrl: () => Promise<string>): void {
  let url: string;
  let storage: Storage;
  beforeAll(async () => {
    url = await freshUrl();
    storage = await openStorage(url);
  });
  afterAll(() => storage.close());

  async function createKey() {
    const keys = createKeyRing(storage.keys, contract, Date.now, 'test');
    const { key, secret } = await keys.create({ plan: 'business' });
    const call = async (server: ServerProcess, times: number) => {
      for (let count = 0; count < times; count += 1) {
        const options = { path: { petId: 1 }, headers: { connection: 'close' } };
        expect((await callOperation(server.url, secret, 'getPet', options)).status).toBe(404);
      }
    };
    return { id: key.id, secret, call };
  }

  const show = async (id: string) => JSON.parse((await runProcess(['show', id, '--json'], { DATABASE_URL: url })).out);

  test('the calls of a key and the quota that they use survive a restart', async () => {
    const { id, secret, call } = await createKey();
    const startedAt = Date.now();
    let sent = 0;
    for (const calls of [12, 30]) {
      const server = await start({ DATABASE_URL: url });
      await call(server, calls);
      const { body } = await callOperation(server.url, secret, 'getKey', {});
      sent += calls + 1;
      expect(body.day).toMatchObject({ limit: plans.business.perDay, remaining: plans.business.perDay - sent });
      await server.end('SIGTERM');
    }
    const { lastUsedAt, deprecatedCalls, day } = await show(id);
    expect(day.limit - day.remaining).toBe(sent);
    expect(deprecatedCalls).toEqual([{ operation: 'getPet', calls: 42, lastCalledAt: expect.any(String) }]);
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(deprecatedCalls[0].lastCalledAt));
    expect(Date.parse(deprecatedCalls[0].lastCalledAt)).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
  });
}

describe('the activity of keys on SQLite', () => {
  let database: Awaited<ReturnType<typeof temporaryDatabase>>;
  afterAll(() => database.remove());
  describeActivity(async () => {
    database = await temporaryDatabase();
    return database.url;
  });
});

(canHavePostgres() ? describe : describe.skip)('the activity of keys on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  afterAll(() => postgres.remove());
  describeActivity(async () => {
    postgres = await startPostgres();
    return postgres.freshUrl();
  });
});
