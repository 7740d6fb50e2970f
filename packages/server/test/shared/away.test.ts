import { expect, test } from '@jest/globals';
import { eventually } from '../../../../scripts/testing/child.ts';
import { describeRedis } from '../../src/quota/counters-fixture.ts';
import { startTestServer } from '../harness.ts';
import { perMinute, provokeBan, type RedisFleet, type Ship, startFleet } from './fleet.ts';

/** What becomes of the counters while they are away, for all servers at once. */
const faults: [name: string, begin: (fleet: RedisFleet) => unknown, end: (fleet: RedisFleet) => unknown][] = [
  ['cut off', ({ proxies }) => proxies.map((proxy) => proxy.cut()), mend],
  ['so slow that each answer takes a minute', ({ proxies }) => proxies.map((proxy) => proxy.slow(60_000)), mend],
  ['mute, on connections that stay open', ({ proxies }) => proxies.map((proxy) => proxy.hang()), mend],
  ['stopped, with all that was sent to them still to come', ({ redis }) => redis.pause(), ({ redis }) => redis.goOn()],
];

function mend({ proxies }: RedisFleet): void {
  for (const proxy of proxies) proxy.mend();
}

describeRedis.each(faults)('counters that are %s', (_, begin, end) => {
  test('stop nobody: each server goes on from what it heard last, says so once, and they come together again', async () => {
    await using fleet = await startFleet();
    const [one, other] = fleet.ships;
    expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);

    await begin(fleet);
    // The first of them may have reached the counters before the answer was given up.
    expect(await countDown(one, 5)).toEqual([2, 3, 4, 5, 6]);
    expect(await countDown(other, 3)).toEqual([3, 4, 5]);
    for (const ship of fleet.ships) {
      expect(await ship.areCountersUp()).toBe(false);
      expect(ship.said('away')).toBe(1);
      expect((await fetch(`${ship.url}/readyz`)).status).toBe(200);
    }

    await end(fleet);
    await fleet.together();
    expect([one.said('back'), other.said('back')]).toEqual([1, 1]);
    const used = await countDown(one, 1).then(() => countDown(other, 1));
    // 2 before, 8 meanwhile, 2 now; what was on its way when an answer was given up may be counted twice.
    expect(used[0]).toBeGreaterThanOrEqual(12);
    expect(used[0]).toBeLessThanOrEqual(14);
  });
});

/** How many requests of the minute are used after each of some requests. */
async function countDown(ship: Ship, requests: number): Promise<number[]> {
  const used: number[] = [];
  for (let request = 0; request < requests; request += 1) used.push(perMinute - (await ship.remaining()));
  return used;
}

describeRedis('a Redis that starts again, and knows nothing', () => {
  test('hears from the servers what was used', async () => {
    await using fleet = await startFleet();
    const [one, other] = fleet.ships;
    await countDown(one, 10);
    await countDown(other, 10);
    await fleet.redis.kill();
    await fleet.redis.start();
    await fleet.together();
    expect(await other.remaining()).toBe(perMinute - 21);
    expect(await one.remaining()).toBe(perMinute - 22);
  });

  test('hears of a ban, that one server gave meanwhile', async () => {
    await using fleet = await startFleet();
    const [one, other] = fleet.ships;
    fleet.proxies[1].cut();
    await provokeBan({ ...fleet, ships: [other, other] });
    expect((await other.list()).body.code).toBe('key_banned');
    expect((await one.list()).body.code).not.toBe('key_banned');
    fleet.proxies[1].mend();
    await fleet.together();
    expect((await other.list()).body.code).toBe('key_banned');
    expect((await one.list()).body.code).toBe('key_banned');
  });
});

describeRedis('a start without Redis', () => {
  test('is one with own counters, and the log says so; when it is there, they are shared', async () => {
    await using fleet = await startFleet();
    await fleet.redis.kill();
    const late = await fleet.launch();
    expect(late.said('away')).toBe(1);
    expect((await late.list()).status).toBe(200);
    await fleet.redis.start();
    await eventually(late.areCountersUp, () => late.log());
    expect(await late.remaining()).toBe(perMinute - 2);
  });

  test('names the reason, and not the password', async () => {
    await using fleet = await startFleet();
    const redisUrl = `redis://somebody:secret-word@127.0.0.1:${fleet.redis.port}`;
    await using server = await startTestServer({ config: { redisUrl } });
    expect((await server.call('listPets')).status).toBe(200);
    expect(server.log()).toMatch(/the shared counters are away/);
    expect(server.log()).toMatch(/WRONGPASS/);
    expect(server.log()).not.toContain('secret-word');
  });
});
