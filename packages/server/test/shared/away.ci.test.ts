import { expect, test } from '@jest/globals';
import { describeRedis } from '../../../service/src/rate-limit/counters-fixture.ts';
import { eventually } from '../../../testing/src/child.ts';
import type { Network } from '../../../testing/src/postgres/proxy.ts';
import { startTestServer } from '../harness.ts';
import {
  type GroupServer,
  perMinute,
  provokeBan,
  type RedisServerGroup,
  restore,
  startServersOnRedis,
} from './server-group.ts';

/** Faults of the counters, for all servers at once. */
const faults: [name: string, begin: (group: RedisServerGroup) => unknown, end: (group: RedisServerGroup) => unknown][] =
  [
    ['cut off', behave({ kind: 'cut' }), restoreAll],
    ['so slow that each answer takes a minute', behave({ kind: 'slow', delay: 60_000 }), restoreAll],
    ['silent, on connections that stay open', behave({ kind: 'silent' }), restoreAll],
    ['stopped, with requests to them still in flight', ({ redis }) => redis.pause(), ({ redis }) => redis.goOn()],
  ];

function behave(network: Network): (group: RedisServerGroup) => void {
  return ({ proxies }) => {
    for (const proxy of proxies) proxy.set(network);
  };
}

function restoreAll({ proxies }: RedisServerGroup): void {
  proxies.forEach(restore);
}

describeRedis.each(faults)('counters that are %s', (_, begin, end) => {
  test('refuse no request: each server continues from the last usage it knows, logs it once, and counts together with the others later', async () => {
    await using group = await startServersOnRedis();
    const [one, other] = group.servers;
    expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);

    await begin(group);
    // The first of them may have reached the counters before it timed out.
    expect(await countDown(one, 5)).toEqual([2, 3, 4, 5, 6]);
    expect(await countDown(other, 3)).toEqual([3, 4, 5]);
    for (const server of group.servers) {
      expect(await server.areCountersUp()).toBe(false);
      expect(server.logged('away')).toBe(1);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    }

    await end(group);
    await group.allUp();
    expect([one.logged('back'), other.logged('back')]).toEqual([1, 1]);
    const used = await countDown(one, 1).then(() => countDown(other, 1));
    // 2 before, 8 meanwhile, 2 now; a request that timed out may be counted twice.
    expect(used[0]).toBeGreaterThanOrEqual(12);
    expect(used[0]).toBeLessThanOrEqual(14);
  });
});

/** How many requests of the minute are used after each of several requests. */
async function countDown(server: GroupServer, requests: number): Promise<number[]> {
  const used: number[] = [];
  for (let request = 0; request < requests; request += 1) used.push(perMinute - (await server.remaining()));
  return used;
}

describeRedis('a Redis that starts again, and knows nothing', () => {
  test('learns the usage from the servers', async () => {
    await using group = await startServersOnRedis();
    const [one, other] = group.servers;
    await countDown(one, 10);
    await countDown(other, 10);
    await group.redis.kill();
    await group.redis.start();
    await group.allUp();
    expect(await other.remaining()).toBe(perMinute - 21);
    expect(await one.remaining()).toBe(perMinute - 22);
  });

  test('learns of a ban that one server started meanwhile', async () => {
    await using group = await startServersOnRedis();
    const [one, other] = group.servers;
    group.proxies[1].set({ kind: 'cut' });
    await provokeBan({ ...group, servers: [other, other] });
    expect((await other.list()).body.code).toBe('key_banned');
    expect((await one.list()).body.code).not.toBe('key_banned');
    restore(group.proxies[1]);
    await group.allUp();
    expect((await other.list()).body.code).toBe('key_banned');
    expect((await one.list()).body.code).toBe('key_banned');
  });
});

describeRedis('a start without Redis', () => {
  test('is logged and uses local counters, which are shared once Redis is there', async () => {
    await using group = await startServersOnRedis();
    await group.redis.kill();
    const late = await group.startServer();
    expect(late.logged('away')).toBe(1);
    expect((await late.list()).status).toBe(200);
    await group.redis.start();
    await eventually(late.areCountersUp, () => late.log());
    expect(await late.remaining()).toBe(perMinute - 2);
  });

  test('logs the reason without the password', async () => {
    await using group = await startServersOnRedis();
    const redisUrl = `redis://somebody:secret-word@127.0.0.1:${group.redis.port}`;
    await using server = await startTestServer({ config: { redisUrl } });
    expect((await server.call('listPets')).status).toBe(200);
    expect(server.log()).toMatch(/Redis cannot count requests; until it can, this process counts its own/);
    expect(server.log()).toMatch(/WRONGPASS/);
    expect(server.log()).not.toContain('secret-word');
  });
});
