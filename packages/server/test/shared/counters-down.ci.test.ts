import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { describeRedis } from '../../../redis/test/in-tests.ts';
import { readConfig } from '../../../service/src/config/config.ts';
import { startServer } from '../../../service/src/start.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { Network } from '../../../testing/src/postgres/proxy.ts';
import { api } from '../../src/operations/api.ts';
import { startTestServer } from '../harness.ts';
import {
  type Counting,
  type GroupServer,
  perMinute,
  provokeBan,
  restore,
  type ServerGroup,
  startServersOnPostgres,
  startServersOnRedis,
} from './server-group.ts';

const faults: [name: string, network: Network][] = [
  ['gone', { kind: 'cut' }],
  ['silent, on connections that stay open', { kind: 'silent' }],
];

type Start = (counting?: Partial<Counting>) => Promise<ServerGroup>;

/** Silent counters are waited for, but for longer than a busy machine needs. */
const countersTimeout = 3_000;

describeRedis('counters in Redis', () => describeDown(startServersOnRedis));
describeOnPostgres('counters in PostgreSQL', (postgres) =>
  describeDown((counting) => startServersOnPostgres(postgres, counting)),
);

function describeDown(start: Start): void {
  describe.each(faults)('that are %s', (_, network) => {
    test('are counted locally from the last usage that a process knows, and together again when they are back', async () => {
      await using group = await start({ countersTimeout });
      const [one, other] = group.servers;
      expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);

      for (const proxy of group.proxies) proxy.set(network);
      expect(await countUsed(one, 5)).toEqual([2, 3, 4, 5, 6]);
      expect(await countUsed(other, 3)).toEqual([3, 4, 5]);
      expect(group.servers.map((server) => server.logged('away'))).toEqual([1, 1]);

      group.proxies.forEach(restore);
      await group.allUp();
      // The higher of what each of them knows: what processes count by themselves is not added up.
      expect([...(await countUsed(one, 1)), ...(await countUsed(other, 1))]).toEqual([7, 8]);
    });

    test('refuse requests with 503 and Retry-After if COUNTERS_DOWN is refuse, until they are back', async () => {
      await using group = await start({ countersDown: 'refuse', countersTimeout });
      const [one] = group.servers;
      for (const proxy of group.proxies) proxy.set(network);
      for (let request = 0; request < 3; request += 1) {
        const { status, headers } = await fetch(`${one.url}/v1/pets`, {
          headers: { authorization: `Bearer ${group.key}` },
        });
        const [retryAfter, limit] = [headers.get('retry-after'), headers.get('x-ratelimit-limit')];
        expect({ status, retryAfter, limit }).toEqual({ status: 503, retryAfter: '2', limit: String(perMinute) });
      }
      group.proxies.forEach(restore);
      await group.allUp();
      expect((await one.list()).status).toBe(200);
    });
  });

  test('that lost their data continue from what the processes know, and keep a ban', async () => {
    await using group = await start();
    const [one, other] = group.servers;
    await countUsed(one, 10);
    await countUsed(other, 10);
    await group.crashCounters();
    await group.allUp();
    expect(await countUsed(other, 1)).toEqual([21]);
    expect(await countUsed(one, 1)).toEqual([22]);
    expect((await provokeBan(group)).body.code).toBe('key_banned');
    await group.crashCounters();
    await group.allUp();
    for (const server of group.servers) expect((await server.list()).body.code).toBe('key_banned');
  });
}

/** How many requests of the minute are used after each of several requests. */
async function countUsed(server: GroupServer, requests: number): Promise<number[]> {
  const used: number[] = [];
  for (let request = 0; request < requests; request += 1) used.push(perMinute - (await server.remaining()));
  return used;
}

const notInstalled = () => Promise.reject(Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' }));

test.each([
  ['without a part that counts in it', {}],
  ['without the package of that part', { counters: notInstalled }],
])('REDIS_URL %s stops the start with a sentence that names the package', async (_, part) => {
  const { counters: __, ...others } = api;
  const service = { ...others, ...part };
  const config = readConfig({ DATABASE_URL: 'sqlite::memory:', PORT: '0', REDIS_URL: 'redis://127.0.0.1:1' });
  const starting = startServer({ service, config, log: pino({ enabled: false }) });
  await expect(starting).rejects.toThrow('Install @contract-first/redis, and pass it to createService as `counters`.');
});

describeRedis('a Redis that is away', () => {
  test('learns of a ban that one server started meanwhile', async () => {
    await using group = await startServersOnRedis();
    const [one, other] = group.servers;
    group.proxies[1].set({ kind: 'cut' });
    await provokeBan({ ...group, servers: [other, other] });
    expect((await other.list()).body.code).toBe('key_banned');
    expect((await one.list()).body.code).not.toBe('key_banned');
    restore(group.proxies[1]);
    await group.allUp();
    for (const server of [other, one]) expect((await server.list()).body.code).toBe('key_banned');
  });

  test('delays no start, and is used once it is there', async () => {
    await using group = await startServersOnRedis();
    await group.redis.kill();
    const late = await group.startServer();
    expect(late.logged('away')).toBe(1);
    expect((await late.list()).status).toBe(200);
    await group.redis.start();
    await group.allUp();
    expect(await group.servers[0].remaining()).toBe(perMinute - 1);
  });

  test('is logged with the reason, without the password', async () => {
    await using group = await startServersOnRedis();
    const redisUrl = `redis://somebody:secret-word@127.0.0.1:${group.redis.port}`;
    await using server = await startTestServer({ config: { redisUrl } });
    expect((await server.call('listPets')).status).toBe(200);
    expect(server.log()).toMatch(
      /the shared counters do not answer; until they do, this process counts its own requests/,
    );
    expect(server.log()).toMatch(/WRONGPASS/);
    expect(server.log()).not.toContain('secret-word');
  });
});
