import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Contract } from '../../../service/src/common/facts.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import { startServer } from '../../../service/src/start.ts';
import { temporaryDatabase } from '../../../testing/src/service/harness.ts';
import { api as notes } from './operations.ts';

// Each part of x-rate-limits may be missing. What is not limited is not counted, and its responses state no quota.

const plans = { member: { title: 'Member', perMinute: 3, perDay: 300 } };
const anonymousLimits = { perMinute: 2, perDay: 200 };
const banRules = {
  ...{ graceSeconds: 0, toleratedRefusals: 1, firstSeconds: 600 },
  ...{ factor: 2, maximumSeconds: 3600, forgetAfterSeconds: 86_400 },
};
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The contract of notes with other limits. Its headers about quotas are optional, as completion writes them. */
function withLimits(limits: Pick<Contract, 'plans' | 'anonymousLimits' | 'banRules'>): Contract {
  const document = JSON.parse(notes.contract.json);
  for (const [name, header] of Object.entries<{ required?: boolean }>(document.components.headers)) {
    if (name.startsWith('X-RateLimit-')) header.required = false;
  }
  return { ...notes.contract, ...limits, json: JSON.stringify(document) };
}

async function start(contract: Contract, databaseUrl: string) {
  const server = await startServer({
    service: { ...notes, contract },
    config: readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: databaseUrl }),
    log: pino({ level: 'silent' }),
    timeouts: { lastRequest: 0 },
    clock: () => Date.parse('2026-12-01T12:00:10Z'),
  });
  const call = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/notes`, { headers });
    const { code } = await response.json();
    return [response.status, code, response.headers.get('x-ratelimit-remaining')];
  };
  const times = async (count: number, key: string) => {
    const seen = [];
    for (let index = 0; index < count; index += 1) seen.push(await call(key));
    return seen;
  };
  stops.push(server.stop);
  return { server, times };
}

async function database(): Promise<string> {
  const { url, remove } = await temporaryDatabase();
  stops.push(remove);
  return url;
}

test('with plans only, keys are counted, and requests without a valid key are not', async () => {
  const { server, times } = await start(withLimits({ plans, anonymousLimits: null, banRules: null }), await database());
  const { secret } = await server.keys.create({ plan: 'member' });
  expect(await times(5, secret)).toEqual([
    [200, undefined, '2'],
    [200, undefined, '1'],
    [200, undefined, '0'],
    [429, 'rate_limited', '0'],
    [429, 'rate_limited', '0'],
  ]);
  expect(await times(5, 'unknown')).toEqual(Array(5).fill([401, 'api_key_invalid', null]));
});

test('with a quota of addresses only, keys have no plan and no quota, also for requests that fail', async () => {
  const { server, times } = await start(withLimits({ plans: {}, anonymousLimits, banRules: null }), await database());
  const { key, secret } = await server.keys.create({});
  expect([key.plan, (await server.keys.list()).map(({ plan }) => plan)]).toEqual(['', ['']]);
  await expect(server.keys.create({ plan: 'member' })).rejects.toThrow('This API has no plans');
  expect(await times(4, secret)).toEqual(Array(4).fill([200, undefined, null]));
  const headers = { authorization: `Bearer ${secret}` };
  for (let count = 0; count < 4; count += 1) {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/v1/notes/99`, { headers });
    expect(status).toBe(404);
  }
  expect(await times(3, 'unknown')).toEqual([
    [401, 'api_key_invalid', '1'],
    [401, 'api_key_invalid', '0'],
    [429, 'rate_limited', '0'],
  ]);
});

test('a key from before the contract had plans has the first one', async () => {
  const url = await database();
  const before = await start(withLimits({ plans: {}, anonymousLimits: null, banRules: null }), url);
  const { key, secret } = await before.server.keys.create({});
  await before.server.stop();
  const { server, times } = await start(withLimits({ plans, anonymousLimits, banRules: null }), url);
  expect(await times(1, secret)).toEqual([[200, undefined, '2']]);
  expect((await server.keys.set(key.id, { name: 'Old' })).plan).toBe('member');
});

test('a ban ends when the contract no longer has rules for bans', async () => {
  const url = await database();
  const before = await start(withLimits({ plans, anonymousLimits, banRules }), url);
  const { secret } = await before.server.keys.create({ plan: 'member' });
  expect((await times(before, secret)).at(-1)).toEqual([429, 'key_banned', '0']);
  await before.server.stop();
  const after = await start(withLimits({ plans, anonymousLimits, banRules: null }), url);
  expect((await times(after, secret)).at(-1)).toEqual([429, 'rate_limited', '0']);
});

const times = ({ times: send }: Awaited<ReturnType<typeof start>>, key: string) => send(8, key);
