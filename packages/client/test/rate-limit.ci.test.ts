import { banRules } from '@animal-store/contract';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createVirtualTime, installTime } from '../../client-core/test/virtual-time.ts';
import { NOON, startTestServer, type TestServer } from '../../server/test/harness.ts';
import { seededRandom } from '../../testing/src/seeded-random.ts';
import {
  type AnimalStoreOptions,
  createAnimalStore,
  defaults,
  isRateLimitError,
  rateLimitOf,
  unwrap,
} from '../src/index.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterEach(() => server.stop());

/** A request of a client and its response, with server times. */
type Watch = {
  responses: { status: number; code: string | undefined }[];
  /** Requests that were sent although the client knew that the API would refuse them. */
  sentWhileShut: number;
};

/** Clients of one key that use the server's clock. */
function clientsOf(
  apiKey: string,
  count: number,
  options: Partial<AnimalStoreOptions> = {},
  hide: string[] = [],
  offset = 0,
) {
  const random = seededRandom(4);
  const watches: Watch[] = [];
  // One clock for all of them, which advances when no request is in flight.
  const time = createVirtualTime(server.clock, random, (request) => fetch(request));
  installTime({ ...time, clock: () => server.clock.now + offset });
  const stores = Array.from({ length: count }, () => {
    const watch: Watch = { responses: [], sentWhileShut: 0 };
    watches.push(watch);
    let shutUntil = 0;
    const watched = async (request: Request) => {
      if (server.clock.now < shutUntil) watch.sentWhileShut += 1;
      const response = await time.fetch(request);
      const headers = new Headers(response.headers);
      for (const name of hide) headers.delete(name);
      const seen = new Response(await response.text(), { status: response.status, headers });
      shutUntil = Math.max(shutUntil, shutBy(seen));
      const body: { code?: string } = await seen.clone().json();
      watch.responses.push({ status: seen.status, code: body.code });
      return seen;
    };
    return createAnimalStore({ apiKey, baseUrl: `${server.url}/v1`, fetch: watched, ...options });
  });
  return { stores, watches };
}

/** The time until which a response says that requests are refused (Unix milliseconds). */
function shutBy(response: Response): number {
  const limit = rateLimitOf(response);
  if (response.status === 429) return server.clock.now + Number(response.headers.get('Retry-After')) * 1_000;
  return limit?.remaining === 0 ? limit.reset.getTime() : 0;
}

/** Starts calls at the same time, and returns their outcomes. */
async function fire(stores: ReturnType<typeof createAnimalStore>[], calls: number) {
  const all = stores.flatMap((store) => Array.from({ length: calls }, () => unwrap(store.GET('/pets'))));
  const ended = await Promise.allSettled(all);
  const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  return { succeeded: ended.length - errors.length, limited: errors.filter(isRateLimitError).length };
}

function refusalsIn(watches: Watch[]): string[] {
  return watches.flatMap(({ responses }) => responses.flatMap(({ code }) => (code === undefined ? [] : [code])));
}

describe('200 calls at once on a free plan', () => {
  test('all succeed, within four minutes and without a single refusal', async () => {
    const { stores, watches } = clientsOf(await server.createKey('free'), 1);
    expect(await fire(stores, 200)).toEqual({ succeeded: 200, limited: 0 });
    expect(refusalsIn(watches)).toEqual([]);
    expect(watches[0]?.sentWhileShut).toBe(0);
    expect(server.clock.now - NOON).toBeLessThan(4 * 60_000);
  });

  test('all succeed if the client cannot see the remaining requests, at the cost of a few refusals', async () => {
    const { stores, watches } = clientsOf(await server.createKey('free'), 1, {}, ['X-RateLimit-Remaining']);
    expect(await fire(stores, 200)).toEqual({ succeeded: 200, limited: 0 });
    const refusals = refusalsIn(watches);
    expect(refusals.length).toBeGreaterThan(0);
    // Those that are in flight when the first window ends; after that one per window, because only one call is sent
    // first.
    expect(refusals.length).toBeLessThan(15);
    expect(new Set(refusals)).toEqual(new Set(['rate_limited']));
    expect(watches[0]?.sentWhileShut).toBe(0);
  });

  test('no ban, and nothing sent while the gate is shut, if the caller has set no limit on requests in flight', async () => {
    const options = { maxConcurrent: 200 };
    const { stores, watches } = clientsOf(await server.createKey('free'), 1, options, ['X-RateLimit-Remaining']);
    const { succeeded, limited } = await fire(stores, 200);
    expect(succeeded + limited).toBe(200);
    expect(refusalsIn(watches)).not.toContain('key_banned');
    expect(watches[0]?.sentWhileShut).toBe(0);
  });

  test('no ban if three clients share the key and do not know of each other', async () => {
    const { stores, watches } = clientsOf(await server.createKey('free'), 3);
    const { succeeded, limited } = await fire(stores, 70);
    expect(succeeded + limited).toBe(210);
    expect(new Set(refusalsIn(watches))).toEqual(new Set(['rate_limited']));
    expect(watches.map(({ sentWhileShut }) => sentWhileShut)).toEqual([0, 0, 0]);
  });

  test('calls that would have to wait longer than they may fail at once', async () => {
    const { stores, watches } = clientsOf(await server.createKey('free'), 1, { maxRetryAfter: 5_000 });
    const { succeeded, limited } = await fire(stores, 200);
    expect(succeeded).toBe(60);
    expect(limited).toBe(140);
    expect(server.clock.now).toBe(NOON);
    expect(watches[0]?.sentWhileShut).toBe(0);
    expect(refusalsIn(watches)).toEqual([]);
  });
});

test('when the quota of the day is used up, calls fail at once until the day ends', async () => {
  const limits = { perMinute: 30, perDay: 40 };
  const { secret: key } = await server.keys.create({ plan: 'enterprise', ...limits });
  const { stores, watches } = clientsOf(key, 1);
  expect(await fire(stores, 50)).toEqual({ succeeded: 40, limited: 10 });
  expect(refusalsIn(watches)).toEqual(['rate_limited']);
  await expect(unwrap(stores[0]?.GET('/pets') ?? Promise.reject())).rejects.toMatchObject({ scope: 'day' });
  expect(watches[0]?.responses).toHaveLength(41);
  server.clock.now = Date.parse('2026-12-02T00:00:01Z');
  expect(await fire(stores, 20)).toEqual({ succeeded: 20, limited: 0 });
});

test.each([
  ['slow by an hour', -3_600_000],
  ['slow by half a minute', -30_000],
  ['fast by half a minute', 30_000],
  ['fast by an hour', 3_600_000],
])('a clock that is %s leads to no ban, and to few refusals', async (_, offset) => {
  const { stores, watches } = clientsOf(await server.createKey('free'), 1, {}, [], offset);
  expect(await fire(stores, 130)).toEqual({ succeeded: 130, limited: 0 });
  const refusals = refusalsIn(watches);
  expect(refusals).not.toContain('key_banned');
  expect(refusals.length).toBeLessThan(15);
});

test('the requests that may be in flight at a refusal are too few for a ban, however slow they are', () => {
  expect(defaults.maxConcurrent - 1).toBeLessThan(banRules.toleratedRefusals);
});
