import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAX_SANDBOXES } from '../../sandbox/src/sandboxes.ts';
import { DAY } from '../../service/src/common/time.ts';
import { readConfig } from '../../service/src/config/config.ts';
import { api } from '../src/operations/api.ts';
import { operations } from '../src/operations/index.ts';
import type { Call } from '../src/operations/operation.ts';
import type { WithSandbox } from '../src/operations/sandbox.ts';
import { seeds } from '../src/operations/seeds.ts';
import { NOON, startTestServer, type TestServer } from './harness.ts';

const rex = { name: 'Rex', categoryId: 3 };
const long = { name: '🦄'.repeat(255), categoryId: 3 };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { sandboxes: true } });
});
afterAll(() => server.stop());

const count = async (key: string) => (await server.call('listPets', { key, query: { limit: 100 } })).body.length;

test('a full sandbox says so, can be read and reset, and others can write', async () => {
  const { secret: key } = await server.keys.create({ plan: 'enterprise', perMinute: 100_000, perDay: 100_000 });
  let refused = await server.call('createPet', { key, body: long });
  for (let round = 0; round < 400 && refused.status === 201; round += 1) {
    const all = await Promise.all(Array.from({ length: 20 }, () => server.call('createPet', { key, body: long })));
    refused = all.find(({ status }) => status !== 201) ?? refused;
  }
  expect([refused.status, refused.body.code]).toEqual([503, 'service_unavailable']);
  expect(refused.body.message).toMatch(/^Your sandbox is full: .*reset the sandbox\.$/);
  // By the quota of the key, not that of its IP address, which other callers may share.
  expect(refused.headers.get('X-RateLimit-Limit')).toBe('100000');
  expect((await server.call('listPets', { key })).status).toBe(200);
  expect((await server.call('createPet', { body: rex })).status).toBe(201);
  expect((await server.call('resetSandbox', { key })).status).toBe(204);
  expect((await server.call('createPet', { key, body: rex })).status).toBe(201);
}, 60_000);

test('the sandbox that was not used for the longest time is dropped for a further one', async () => {
  const [oldest, used] = [await server.createKey(), await server.createKey()];
  for (const key of [oldest, used]) await server.call('createPet', { key, body: rex });
  for (let further = 1; further < MAX_SANDBOXES; further += 1) {
    await server.call('getKey', { key: await server.createKey() });
    await server.call('getKey', { key: used });
  }
  expect([await count(used), await count(oldest)]).toEqual([seeds.length + 1, seeds.length]);
}, 60_000);

test('a sandbox is dropped after a week without a request', async () => {
  const [unused, used] = [await server.createKey(), await server.createKey()];
  for (const key of [unused, used]) await server.call('createPet', { key, body: rex });
  for (const days of [6, 2]) {
    server.clock.now += days * DAY;
    await server.call('getKey', { key: used });
  }
  expect([await count(used), await count(unused)]).toEqual([seeds.length + 1, seeds.length]);
});

test('a request in progress ends in its sandbox if that is reset meanwhile', async () => {
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const listPets: typeof operations.listPets = async (call) => {
    started.resolve();
    await gate.promise;
    return operations.listPets(call);
  };
  await using slow = await startTestServer({
    config: { sandboxes: true },
    operations: { ...operations, listPets },
  });
  await slow.call('createPet', { body: rex });
  const listing = slow.call('listPets');
  await started.promise;
  expect((await slow.call('resetSandbox')).status).toBe(204);
  gate.resolve();
  expect((await listing).body).toHaveLength(seeds.length + 1);
  expect((await slow.call('listPets')).body).toHaveLength(seeds.length);
});

test('a clock that is being moved does its work in its sandbox if that is reset meanwhile', async () => {
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const expireOrders: typeof api.jobs.expireOrders.run = async (call) => {
    started.resolve();
    await gate.promise;
    return api.jobs.expireOrders.run(call);
  };
  const setSandboxClock: typeof operations.setSandboxClock = async (call: Call<'setSandboxClock'> & WithSandbox) => {
    const moving = operations.setSandboxClock(call);
    await started.promise;
    call.sandbox?.reset();
    gate.resolve();
    return moving;
  };
  await using server = await startTestServer({
    config: { sandboxes: true },
    service: { ...api, jobs: { expireOrders: { every: '1 minute', run: expireOrders } } },
    operations: { ...operations, setSandboxClock },
  });
  const moved = await server.call('setSandboxClock', { body: { advanceSeconds: 3_600 } });
  expect([moved.status, moved.body.time]).toEqual([200, new Date(NOON + 3_600_000).toISOString()]);
});

test('jobs run when they are due by the clock of the sandbox, and one that fails or hangs leaves the request alone', async () => {
  let runs = 0;
  const count = async () => {
    runs += 1;
  };
  const fail = async () => {
    throw new Error('The job failed.');
  };
  await using server = await startTestServer({
    config: { sandboxes: true },
    service: {
      ...api,
      jobs: {
        ...api.jobs,
        fail: { every: '1 minute', run: fail },
        hang: { every: '1 minute', limit: '1 second', run: () => new Promise(() => {}) },
        count: { every: '1 hour', run: count },
      },
    },
  });
  const runsAfter = async (advanceSeconds: number) => {
    expect((await server.call('setSandboxClock', { body: { advanceSeconds } })).status).toBe(200);
    expect((await server.call('listPets')).status).toBe(200);
    return runs;
  };
  expect([await runsAfter(60), await runsAfter(3_000), await runsAfter(600)]).toEqual([1, 1, 2]);
});

test('SANDBOXES is refused with API_MODE=live', () => {
  expect(() => readConfig({ SANDBOXES: 'on', API_MODE: 'live' })).toThrow('Only test servers have sandboxes');
});

test('SANDBOXES is refused by a service that does not have the package, or has not installed it', async () => {
  const { sandboxes: _sandboxes, ...without } = api;
  const notInstalled = async () => {
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  };
  for (const service of [without, { ...api, sandboxes: notInstalled }]) {
    await expect(startTestServer({ config: { sandboxes: true }, service })).rejects.toThrow(
      'Install @contract-first/sandbox, and pass it to createService as `sandboxes`.',
    );
  }
});

async function post(key: string, type: string, content: BodyInit): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const response = await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: content });
  await response.text();
  return response.status;
}

/** The memory of this process without garbage, whose amount depends on when it is collected. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().rss;
}

test('1,000 keys, one after another, need the memory of 100 sandboxes, and are served at once', async () => {
  const keys = await Promise.all(Array.from({ length: 1_000 }, () => server.createKey()));
  // Until then, the memory that SQLite allocates and frees still spreads.
  for (const key of keys.slice(0, 600)) expect((await server.call('createPet', { key, body: long })).status).toBe(201);
  const before = memoryInUse();
  for (const key of keys.slice(600)) expect((await server.call('createPet', { key, body: long })).status).toBe(201);
  expect(memoryInUse() - before).toBeLessThan(200_000_000);
  const statuses = await Promise.all(
    keys.map(async (key) => (await server.call('createPet', { key, body: long })).status),
  );
  // The server may be overloaded for a moment.
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(100);
});

test('a body that is too long, binary, or no JSON is not in the transcript', async () => {
  const key = await server.createKey();
  const bytes = new Uint8Array(5_000).fill(255);
  const huge = JSON.stringify({ ...rex, name: 'x'.repeat(1_000_000) });
  expect(await post(key, 'application/json', huge)).toBe(413);
  expect(await post(key, 'application/octet-stream', bytes)).toBe(415);
  expect(await post(key, 'application/json', bytes)).toBe(400);
  const recorded = (await server.call('getTranscript', { key })).body;
  expect(recorded.map(({ request }: { request: { body?: string } }) => request.body)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a transcript of long requests has fewer of them, with cut bodies', async () => {
  const { secret: key } = await server.keys.create({ plan: 'enterprise', perMinute: 100_000, perDay: 100_000 });
  const escaped = JSON.stringify({ name: '<'.repeat(9_000), categoryId: 3 });
  for (let round = 0; round < 110; round += 1) expect(await post(key, 'application/json', escaped)).toBe(400);
  const { text, body: recorded } = await server.call('getTranscript', { key });
  expect(text.length).toBeLessThan(300_000);
  expect(recorded.length).toBeGreaterThan(40);
  expect(recorded.at(-1).request.body).toBe(`${escaped.slice(0, 4_000)}…`);
  const asMarkdown = await server.call('getTranscript', { key, headers: { accept: 'text/markdown' } });
  expect(asMarkdown.text.length).toBeLessThan(300_000);
});
