import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startRecordingServer } from '../../client-core/test/recording-server.ts';
import { createVirtualTime, installTime, restoreTime } from '../../client-core/test/virtual-time.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { type AnimalStoreOptions, createAnimalStore, type Heard, type SharedGate, unwrap } from '../src/index.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterEach(async () => {
  jest.restoreAllMocks();
  restoreTime();
  await server.stop();
});

/** Creates clients of one key that use the server's clock, and records the codes of their errors. */
function keyOf(apiKey: string) {
  const time = createVirtualTime(server.clock, () => 0.5);
  const codes: string[] = [];
  const watch = async (request: Request) => {
    const response = await time.fetch(request);
    if (!response.ok) codes.push((await response.clone().json()).code);
    return response;
  };
  const open = (options: Partial<AnimalStoreOptions> = {}) =>
    createAnimalStore({ apiKey, baseUrl: `${server.url}/v1`, ...installTime(time), fetch: watch, ...options });
  return { open, codes, time };
}

async function spend(store: ReturnType<typeof createAnimalStore>, calls = 60) {
  for (let call = 0; call < calls; call += 1) await unwrap(store.GET('/pets'));
}

test('eight reloads of a page with six queries, 3 s apart, on a used-up key cost one refusal each, and no ban', async () => {
  const { open, codes } = keyOf(await server.createKey('free'));
  await spend(open());
  for (let reload = 0; reload < 8; reload += 1) {
    server.clock.now += 3_000;
    const page = open();
    const controller = new AbortController();
    const queries = Array.from({ length: 6 }, () => page.GET('/pets', { signal: controller.signal, maxRetryAfter: 0 }));
    await Promise.all(queries);
    controller.abort();
  }
  expect(codes).toEqual(Array.from({ length: 8 }, () => 'rate_limited'));
});

test('processes that start 4 s apart with 70 calls each on one free key succeed without a ban', async () => {
  const { open, codes, time } = keyOf(await server.createKey('free'));
  const never = new AbortController().signal;
  const process = async (_: unknown, number: number) => {
    await time.sleep(number * 4_000, never);
    const store = open();
    return Promise.all(Array.from({ length: 70 }, () => unwrap(store.GET('/pets'))));
  };
  const all = await Promise.all(Array.from({ length: 5 }, process));
  expect(all.flat()).toHaveLength(350);
  expect(new Set(codes)).toEqual(new Set(['rate_limited']));
});

test.each([-3_600_000, 3_600_000, -50_000])(
  'a clock that is set by %i ms after a refusal changes nothing',
  async (by) => {
    const sent: number[] = [];
    await using busy = await startRecordingServer((response) => {
      sent.push(performance.now());
      if (sent.length > 1) return response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]');
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + by);
      const reset = `${Math.ceil(Date.now() / 1_000) + 1}`;
      const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset };
      return response.writeHead(429, { 'Retry-After': '1', ...headers }).end('{"code":"rate_limited"}');
    });
    const store = createAnimalStore({ apiKey: 'a', baseUrl: busy.url, firstDelay: 0, maxRetryAfter: 5_000 });
    expect((await store.GET('/pets')).data).toEqual([]);
    const [first = 0, second = 0] = sent;
    expect(second - first).toBeGreaterThan(990);
  },
);

test('waiting for the quota does not count as a retry', async () => {
  const { open, codes } = keyOf(await server.createKey('free'));
  await spend(open());
  expect(await unwrap(open().GET('/pets', { maxRetries: 0 }))).toEqual([]);
  expect(codes).toEqual(['rate_limited']);
});

describe('a long refusal', () => {
  /** A client of a key whose day is used up, and the number of requests that it sends. */
  async function refused() {
    const limits = { perMinute: 20, perDay: 20 };
    const { secret } = await server.keys.create({ plan: 'enterprise', ...limits });
    const { open, codes, time } = keyOf(secret);
    const store = open();
    await spend(store, 20);
    const code = async () => (await store.GET('/pets')).error?.code;
    return { store, code, codes, time };
  }

  test('is tested by one request after an hour, then after two, and so on', async () => {
    const { code, codes } = await refused();
    const hours: number[] = [];
    for (let minute = 0; minute < 11 * 60; minute += 1) {
      const before = codes.length;
      expect(await code()).toBe('rate_limited');
      if (codes.length > before) hours.push(Math.round(minute / 60));
      server.clock.now += 60_000;
    }
    expect(hours).toEqual([0, 1, 3, 7]);
  });

  test('can be ended at once', async () => {
    const { store, code, codes } = await refused();
    expect([await code(), await code(), codes.length]).toEqual(['rate_limited', 'rate_limited', 1]);
    server.clock.now = Date.parse('2026-12-02T00:00:01Z') - 3_600_000;
    store.resume();
    expect([await code(), codes.length]).toEqual(['rate_limited', 2]);
    server.clock.now = Date.parse('2026-12-02T00:00:01Z');
    store.resume();
    expect([await code(), codes.length]).toEqual([undefined, 2]);
  });
});

describe('clients with a shared gate', () => {
  /** A shared gate for clients in this process, in place of a BroadcastChannel or Redis. */
  function createBus(): () => SharedGate {
    const listeners = new Map<object, (news: Heard) => void>();
    let last: Heard | undefined;
    return () => {
      const self = {};
      return {
        publish: (news) => {
          const copy: Heard = JSON.parse(JSON.stringify(news));
          if (copy.status === 429) last = copy;
          for (const [other, listener] of listeners) if (other !== self) listener(copy);
        },
        subscribe: async (listener) => {
          listeners.set(self, listener);
          if (last) listener(last);
        },
      };
    };
  }

  test('cost one refusal together, including reloads and clients that start later', async () => {
    const { open, codes } = keyOf(await server.createKey('free'));
    const join = createBus();
    await spend(open());
    const stores = [open({ gate: join() }), open({ gate: join() })];
    await stores[0]?.GET('/pets', { maxRetryAfter: 0 });
    stores.push(open({ gate: join() }));
    const calls = stores.flatMap((store) => [1, 2, 3].map(() => store.GET('/pets', { maxRetryAfter: 0 })));
    const errors = (await Promise.all(calls)).map(({ error }) => error);
    expect(errors).toHaveLength(9);
    for (const error of errors) expect(error).toMatchObject({ code: 'rate_limited', sent: false, attempts: 0 });
    expect(codes).toEqual(['rate_limited']);
    expect(stores[2]?.rateLimit).toMatchObject({ limit: 60, remaining: 0 });
  });

  test('know the quota without sending a request themselves', async () => {
    const { open } = keyOf(await server.createKey('free'));
    const join = createBus();
    const [first, second] = [open({ gate: join() }), open({ gate: join() })];
    await first.GET('/pets');
    expect(second.rateLimit).toMatchObject({ remaining: 59 });
  });

  test('work without it if it fails', async () => {
    const { open } = keyOf(await server.createKey('free'));
    const gate = { publish: () => {}, subscribe: () => Promise.reject(new Error('Redis is down')) };
    expect(await unwrap(open({ gate }).GET('/pets'))).toEqual([]);
  });
});

test('calls wait in the queue and are aborted in a time that grows with their number, not with its square', async () => {
  await using silent = await startRecordingServer(() => {});
  const store = createAnimalStore({ apiKey: 'a', baseUrl: silent.url });
  const timeFor = async (count: number) => {
    const controller = new AbortController();
    const start = performance.now();
    const call = () => store.GET('/pets', { signal: controller.signal }).catch(({ name }: Error) => name);
    const calls = Array.from({ length: count }, call);
    while (silent.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['AbortError']));
    return performance.now() - start;
  };
  await timeFor(2_000);
  // With a listener for each call instead of one for each signal, ten times as many take 37 times as long.
  expect((await timeFor(20_000)) / (await timeFor(2_000))).toBeLessThan(25);
  // One more after half a second without a response, and so on.
  expect(silent.requests.length).toBeLessThan(10);
});
