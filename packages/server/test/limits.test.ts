import { banRules, plans } from '@animal-store/contract';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dayOf, minuteOf } from '../../service/src/common/time.ts';
import { emptyUsage } from '../../service/src/rate-limit/count-request.ts';
import { createPostgresCounters } from '../../service/src/rate-limit/postgres-counters.ts';
import { waitLong } from '../../service/src/storage/suite/notes.ts';
import { eventually } from '../../testing/src/child.ts';
import { describeOnPostgres } from '../../testing/src/postgres/in-tests.ts';
import { openStorage } from '../src/operations/storage/index.ts';
import { NOON, startTestServer, type TestResponse, type TestServer, temporaryDatabase } from './harness.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const tomorrow = Date.parse('2026-12-02T00:00:00Z');

async function send(key: string, times: number): Promise<TestResponse[]> {
  const responses: TestResponse[] = [];
  for (let count = 0; count < times; count += 1) responses.push(await server.call('listPets', { key }));
  return responses;
}

function statuses(responses: TestResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function limits({ headers }: TestResponse) {
  return {
    limit: Number(headers.get('x-ratelimit-limit')),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    reset: Number(headers.get('x-ratelimit-reset')) * SECOND,
  };
}

describe('plans', () => {
  test.each(['free', 'pro', 'business'] as const)('%s has the limits of the contract', async (plan) => {
    const { perMinute } = plans[plan];
    const key = await server.createKey(plan);
    expect(limits(await server.call('listPets', { key }))).toEqual({
      limit: perMinute,
      remaining: perMinute - 1,
      reset: Date.parse('2026-12-01T12:01:00Z'),
    });
  });

  test('enterprise has the limits stored with its key', async () => {
    const { secret } = await server.keys.create({ plan: 'enterprise', perMinute: 3, perDay: 5 });
    expect(statuses(await send(secret, 4))).toEqual({ 200: 3, 429: 1 });
  });
});

describe('windows', () => {
  test('when the day has fewer requests left than the minute, the headers describe the day', async () => {
    const { secret } = await server.keys.create({ plan: 'enterprise', perMinute: 10, perDay: 15 });
    await send(secret, 10);
    server.clock.now = NOON + MINUTE;
    const [response] = await send(secret, 1);
    expect(response && limits(response)).toEqual({ limit: 15, remaining: 4, reset: tomorrow });
    expect(statuses(await send(secret, 5))).toEqual({ 200: 4, 429: 1 });
    const refused = await server.call('listPets', { key: secret });
    expect(Number(refused.headers.get('retry-after'))).toBe((tomorrow - server.clock.now) / SECOND);
    server.clock.now = tomorrow;
    expect((await server.call('listPets', { key: secret })).status).toBe(200);
  });
});

describe('callers without a valid key', () => {
  test('X-Forwarded-For counts only from a trusted proxy', async () => {
    await using proxied = await startTestServer({ config: { trustProxy: ['loopback'] } });
    const from = async (target: TestServer, address: string) =>
      limits(await target.call('listPets', { key: null, headers: { 'x-forwarded-for': address } })).remaining;
    expect([await from(proxied, '198.51.100.1'), await from(proxied, '198.51.100.2')]).toEqual([59, 59]);
    expect([await from(server, '198.51.100.1'), await from(server, '198.51.100.2')]).toEqual([59, 58]);
  });
});

describe('ban', () => {
  /** Keeps sending after a 429, past the grace time, until the ban begins. Returns the first response of the ban. */
  async function provokeBan(key: string): Promise<TestResponse> {
    await send(key, plans.free.perMinute + 1);
    server.clock.now += banRules.graceSeconds * SECOND;
    const responses = await send(key, banRules.toleratedRefusals + 1);
    expect(responses.slice(0, -1).every((response) => response.body.code === 'rate_limited')).toBe(true);
    const last = responses.at(-1);
    if (last === undefined) throw new Error('no response');
    return last;
  }

  test('a key that keeps sending after a 429 is banned, and the ban ends by itself', async () => {
    const key = await server.createKey('free');
    const response = await provokeBan(key);
    expect(response.status).toBe(429);
    expect(response.body).toMatchObject({ code: 'key_banned', status: 429 });
    expect(limits(response).remaining).toBe(0);
    const wait = Number(response.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(banRules.firstSeconds);
    server.clock.now += (wait - 1) * SECOND;
    expect((await server.call('listPets', { key })).body.code).toBe('key_banned');
    server.clock.now += SECOND;
    expect((await server.call('listPets', { key })).status).toBe(200);
  });

  test('the ban, the day and the minute survive a restart', async () => {
    const database = await temporaryDatabase();
    await server.stop();
    server = await startTestServer({ databaseUrl: database.url });
    const used = await server.createKey('free');
    await send(used, 7);
    const banned = await server.createKey('free');
    await provokeBan(banned);
    const { now } = server.clock;
    await server.stop();
    server = await startTestServer({ databaseUrl: database.url });
    server.clock.now = now;
    expect((await server.call('listPets', { key: banned })).body.code).toBe('key_banned');
    expect(limits(await server.call('listPets', { key: used })).remaining).toBe(plans.free.perMinute - 8);
    await database.remove();
  });
});

const YEAR = 365 * 86_400 * SECOND;

async function sendUntilRefused(server: TestServer, key: string): Promise<number> {
  for (let count = 0; count < 200; count += 1)
    if ((await server.call('listPets', { key })).status === 429) return count;
  throw new Error('Never refused.');
}

test('a clock that ran a year ahead and is corrected gives no second quota and locks no caller out, across a restart too', async () => {
  const database = await temporaryDatabase();
  const ahead = await startTestServer({ databaseUrl: database.url, now: NOON + YEAR });
  const key = await ahead.createKey('free');
  expect(await sendUntilRefused(ahead, key)).toBe(plans.free.perMinute);
  ahead.clock.now = NOON;
  expect((await ahead.call('listPets', { key })).status).toBe(429);
  await ahead.stop();
  await using right = await startTestServer({ databaseUrl: database.url });
  const refused = await right.call('listPets', { key });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
  right.clock.now += 50 * SECOND;
  expect((await right.call('listPets', { key })).status).toBe(200);
  await right.stop();
  await database.remove();
});

test('setting the clock back ends no key early, and does not make a revoked key valid again', async () => {
  await using server = await startTestServer();
  const { key, secret } = await server.keys.create({ plan: 'free' });
  await server.keys.revoke(key.id);
  server.clock.now = NOON - YEAR;
  expect((await server.call('listPets', { key: secret })).status).toBe(401);
  expect((await server.call('listPets')).status).toBe(200);
});

const DAY = 86_400_000;

describeOnPostgres('a server on PostgreSQL', (postgres) => {
  test('continues from the usage that a server without counters in the database has saved', async () => {
    using _ = waitLong();
    const databaseUrl = await postgres.freshUrl();
    await using first = await startTestServer({ databaseUrl });
    const { key, secret } = await first.keys.create({ plan: 'free' });
    await using storage = await open(databaseUrl);
    const windows = { minute: minuteOf(NOON), day: dayOf(NOON), bans: 0, bannedUntil: 0 };
    await storage.usage.save([{ keyId: key.id, ...windows, minuteUsed: 41, dayUsed: 70 }]);

    await using second = await startTestServer({ databaseUrl });
    for (const [server, left] of [
      [second, '18'],
      [first, '17'],
    ] as const) {
      const response = await server.call('listPets', { key: secret });
      expect(response.headers.get('x-ratelimit-remaining')).toBe(left);
    }
  });

  test('deletes the counts of past days when it starts', async () => {
    using _ = waitLong();
    const databaseUrl = await postgres.freshUrl();
    await using storage = await open(databaseUrl);
    const request = { quota: { perMinute: 60, perDay: 1_000 }, rules: undefined, usage: emptyUsage(0) };
    const counters = storage.sharedDatabase && createPostgresCounters(storage.sharedDatabase, 30_000);
    const used = async (caller: string, now: number) =>
      (await counters?.count({ ...request, caller, now }))?.usage.dayUsed;
    const now = Date.now();
    const beforeYesterday = now - 3 * DAY;
    expect([await used('address:old', beforeYesterday), await used('address:new', now)]).toEqual([1, 1]);

    await using server = await startTestServer({ databaseUrl });
    const [, schema] = /search_path%3D(\w+)/.exec(databaseUrl) ?? [];
    const isForgotten = async () => {
      const [row] = await postgres.query(`SELECT count(*) FROM ${schema}.counts WHERE caller = 'address:old'`);
      return row?.[0] === '0';
    };
    await eventually(isForgotten, server.log);
    expect(await used('address:new', now)).toBe(2);
  });
});

/** A storage that is closed after the test. */
async function open(databaseUrl: string) {
  const storage = await openStorage(databaseUrl);
  return { ...storage, [Symbol.asyncDispose]: storage.close };
}
