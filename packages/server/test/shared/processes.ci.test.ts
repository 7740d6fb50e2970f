import { setTimeout } from 'node:timers/promises';
import { anonymousLimits, banRules } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeRedis, redisServer } from '../../../redis/test/in-tests.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startRedis } from '../../../testing/src/redis.ts';
import { callOperation } from '../harness.ts';
import {
  createConcurrently,
  createHost,
  type Host,
  type Outcome,
  perMinute,
  processesIn,
  provokeBan,
  type ServerGroup,
  startServersOnPostgres,
  startServersOnRedis,
} from './server-group.ts';

describeRedis('servers that share their counters in Redis', () => describeTogether(() => startServersOnRedis()));
describeOnPostgres('servers that share their counters in PostgreSQL', (postgres) =>
  describeTogether(() => startServersOnPostgres(postgres)),
);

function describeTogether(start: () => Promise<ServerGroup>): void {
  test('allow exactly the quota to 500 concurrent requests to three of them, and agree on the next minute', async () => {
    await using group = await start();
    const [one, other] = group.servers;
    const three = [one, other, await group.startServer()];
    const calls = Array.from({ length: 500 }, (_, index) => three[index % 3]?.list());
    const statuses = (await Promise.all(calls)).map((response) => response?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(perMinute);
    expect(statuses.filter((status) => status === 429)).toHaveLength(500 - perMinute);
    for (const server of group.servers) server.clock.now += 60_000;
    expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);
  });

  test('continue from the same usage when all of them are restarted', async () => {
    await using group = await start();
    const [one, other] = group.servers;
    for (const server of [one, one, one, other]) await server.list();
    // Each server saves its usage when it stops; the one that knows less saves last.
    await other.stop();
    await one.stop();
    expect(await (await group.startServer()).remaining()).toBe(perMinute - 5);
  });

  test('count addresses together', async () => {
    await using group = await start();
    const [one, other] = group.servers;
    const anonymous = async (server: typeof one) => (await server.call('listPets', { key: null })).headers;
    expect((await anonymous(one)).get('x-ratelimit-remaining')).toBe(String(anonymousLimits.perMinute - 1));
    expect((await anonymous(other)).get('x-ratelimit-remaining')).toBe(String(anonymousLimits.perMinute - 2));
  });

  test('agree on a ban, as does a server that starts later', async () => {
    await using group = await start();
    const ban = await provokeBan(group);
    expect(ban).toMatchObject({ status: 429, body: { code: 'key_banned' } });
    for (const server of group.servers) expect((await server.list()).body.code).toBe('key_banned');
    expect((await (await group.startServer()).list()).body.code).toBe('key_banned');
  });

  test('keep a ban when the shared counters have crashed and all servers are restarted', async () => {
    await using group = await start();
    await provokeBan(group);
    for (const server of group.servers) await server.stop();
    await group.crashCounters();
    const later = await group.startServer();
    const response = await later.list();
    expect(response.body.code).toBe('key_banned');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(banRules.firstSeconds - 1);
  });

  test('let a banned key in within 5 seconds after an operator has ended its ban, and after a restart too', async () => {
    await using group = await start();
    const [one, other] = group.servers;
    const free = (await one.keys.list()).find(({ plan }) => plan === 'free');
    await provokeBan(group);
    for (const server of group.servers) expect((await server.list()).body.code).toBe('key_banned');
    const bannedUntil = one.clock.now + banRules.firstSeconds * 1_000;
    await one.keys.unban(free?.id ?? '', { bans: 1, bannedUntil });
    // The other server does not know yet, and hands the ban over to the shared counters again.
    expect((await other.list()).body.code).toBe('key_banned');
    for (const server of group.servers) server.clock.now += 5_000;
    // The quota of the minute is used up, but the key is not banned.
    for (const server of [other, one, other]) expect((await server.list()).body.code).toBe('rate_limited');
    for (const server of group.servers) await server.stop();
    expect((await (await group.startServer()).list()).body.code).not.toBe('key_banned');
  });

  test('refuse a key within 5 seconds after one of them has revoked it', async () => {
    await using group = await start();
    const [one, other] = group.servers;
    expect((await other.list()).status).toBe(200);
    const free = (await one.keys.list()).find(({ plan }) => plan === 'free');
    await one.keys.revoke(free?.id ?? '');
    expect((await one.list()).status).toBe(401);
    other.clock.now += 5_000;
    expect((await other.list()).status).toBe(401);
  });
}

const PROCESSES = 3;
const QUOTA = 200;

/** Three running processes. */
type Running = {
  urls: string[];
  output: () => string;
  /** Kills the process with that ID. */
  kill: (pid: number) => void;
};

type Start = (host: Host, stack: AsyncDisposableStack) => Promise<Running>;

/** Three servers, each on its own port. They wait long, so that a busy machine is not taken for unavailable counters. */
async function startServers(host: Host, environment: Record<string, string> = {}): Promise<Running> {
  const servers = await Promise.all(
    Array.from({ length: PROCESSES }, () => host.start({ COUNTERS_TIMEOUT_MS: '30000', ...environment })),
  );
  return {
    urls: servers.map(({ url }) => url),
    output: () => servers.map(({ output }) => output()).join(''),
    kill: (pid) => process.kill(pid, 'SIGKILL'),
  };
}

/** The same, and a Redis. */
async function startServersAndRedis(host: Host, stack: AsyncDisposableStack): Promise<Running> {
  const redis = stack.use(await startRedis(redisServer));
  return startServers(host, { REDIS_URL: redis.url });
}

describeRedis('three servers on one database file and one Redis', () => describeProcesses(startServersAndRedis));
describeOnPostgres('on one PostgreSQL', (postgres) => {
  const createOnPostgres = async () => createHost(await postgres.freshUrl());
  describe('three servers', () => describeProcesses((host) => startServers(host), createOnPostgres));
});

/** The processes are started once, because a start takes longer than a test; the last test kills one. */
function describeProcesses(start: Start, createDatabase: () => Promise<Host> = createHost): void {
  const stack = new AsyncDisposableStack();
  let host: Host;
  let running: Running;
  beforeAll(async () => {
    host = stack.use(await createDatabase());
    running = await start(host, stack);
  });
  afterAll(() => stack.disposeAsync());

  test('allow exactly the quota of each key to 200 clients, and agree on a ban', async () => {
    const { urls, output } = running;
    const keys = await Promise.all([host.createKey(QUOTA), host.createKey(QUOTA), host.createKey(QUOTA)]);
    const outcomes = await createConcurrently({ urls, keys, each: 6 });
    const statuses = keys.map((key) => countStatuses(outcomes.filter((outcome) => outcome.key === key)));
    const refused = (6 * 200) / keys.length - QUOTA;
    expect(statuses).toEqual(keys.map(() => ({ 201: QUOTA, 429: refused })));
    await expectEachAnimalOnce(host, outcomes, keys.length * QUOTA);
    expect(processesIn(output())).toHaveLength(PROCESSES);
    await expectBanEverywhere(urls, keys[0] ?? '', output);
  });

  test('keep every acknowledged pet under a unique ID when one of them is killed under load', async () => {
    const { urls, output, kill } = running;
    const quota = 500;
    const key = await host.createKey(quota);
    let victim: number | undefined;
    const onResponse = (count: number) => {
      if (count < 150 || victim !== undefined) return;
      [victim] = processesIn(output());
      if (victim !== undefined) kill(victim);
    };
    const outcomes = await createConcurrently({ urls, keys: [key], each: 5, onResponse });
    expect(victim).toBeDefined();
    const { 201: acknowledged = 0, lost = 0, 429: limited, refused, ...others } = countStatuses(outcomes);
    expect(others).toEqual({});
    const animals = await expectEachAnimalOnce(host, outcomes);
    // The killed process had counted some requests that it never answered; no others are missing.
    expect(animals).toBeLessThanOrEqual(quota);
    expect(acknowledged + lost).toBeGreaterThanOrEqual(quota);
  });
}

/** The number of responses with each status, and of requests that were lost or refused. */
function countStatuses(outcomes: Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const name = outcome.kind === 'response' ? outcome.response.status : outcome.kind;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Compares the stored pets with the acknowledged ones; resolves to the number of stored ones. */
async function expectEachAnimalOnce(host: Host, outcomes: Outcome[], total?: number): Promise<number> {
  const names = new Set(outcomes.map(({ name }) => name));
  const pets = new Map([...(await host.pets())].filter(([, name]) => names.has(name)));
  const acknowledged = outcomes.flatMap((outcome) =>
    outcome.kind === 'response' && outcome.response.status === 201
      ? [{ name: outcome.name, id: outcome.response.body.id }]
      : [],
  );
  expect(acknowledged.filter(({ name, id }) => pets.get(id) !== name)).toEqual([]);
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length);
  // Every name was sent once.
  expect(new Set(pets.values()).size).toBe(pets.size);
  if (total !== undefined) expect(pets.size).toBe(total);
  return pets.size;
}

/** Sends requests until the key is banned, and then until every process has said so. */
async function expectBanEverywhere(urls: string[], key: string, output: () => string): Promise<void> {
  // A new connection for each call, because a kept one always reaches the same process.
  const parts = { headers: { connection: 'close' } };
  const codeAt = async (url: string) => (await callOperation(url, key, 'listPets', parts)).body.code;
  await setTimeout(banRules.graceSeconds * 1_000);
  const codes: string[] = [];
  for (let count = 0; count <= banRules.toleratedRefusals; count += 1) {
    codes.push(await codeAt(urls[count % urls.length] ?? ''));
  }
  const askAll = () => Promise.all(Array.from({ length: 100 }, (_, count) => codeAt(urls[count % urls.length] ?? '')));
  expect(codes.at(-1)).toBe('key_banned');
  // The process that started the ban has said so; the others have not been asked yet.
  while (processesIn(output(), 'key_banned').length < PROCESSES) codes.push(...(await askAll()));
  expect(new Set(codes.slice(banRules.toleratedRefusals))).toEqual(new Set(['key_banned']));
}
