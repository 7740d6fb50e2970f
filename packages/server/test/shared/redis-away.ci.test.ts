import { expect, test } from '@jest/globals';
import { describeRedis } from '../../../service/src/rate-limit/counters-fixture.ts';
import { eventually } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { type GroupServer, perMinute, provokeBan, type RedisServerGroup, startServersOnBoth } from './server-group.ts';

/** The number of requests that are allowed if all servers get that many at once. */
async function allowedOf(servers: readonly GroupServer[], each: number): Promise<number> {
  const calls = Array.from({ length: each }, () => servers.map((server) => server.list())).flat();
  return (await Promise.all(calls)).filter(({ status }) => status === 200).length;
}

/** Kills Redis, and waits until the servers have noticed. */
async function killRedis({ redis, servers }: RedisServerGroup, ...others: GroupServer[]): Promise<void> {
  await redis.kill();
  for (const server of [...servers, ...others]) {
    await eventually(async () => !(await server.areCountersUp()), server.log);
  }
}

describeOnPostgres('with PostgreSQL as the database,', (postgres) => {
  describeRedis('a Redis that is gone', () => {
    test('leaves the counting to PostgreSQL: three servers allow exactly the quota together', async () => {
      await using group = await startServersOnBoth(postgres);
      const third = await group.startServer();
      await killRedis(group, third);
      expect(await allowedOf([...group.servers, third], perMinute)).toBe(perMinute);
      expect(group.servers[0].log()).toContain('Redis cannot count requests; until it can, PostgreSQL counts them');
    });

    test('in mid-window, and returns without its data: the usage moves there and back', async () => {
      await using group = await startServersOnBoth(postgres);
      const [one, other] = group.servers;
      for (let request = 0; request < 10; request += 1) await [one, other][request % 2]?.list();
      await killRedis(group);
      // The server that knows the latest count is first; another one would begin where it last heard of the caller.
      expect(await other.remaining()).toBe(perMinute - 11);
      expect(await one.remaining()).toBe(perMinute - 12);
      expect(await allowedOf(group.servers, 9)).toBe(18);
      await group.redis.start();
      await group.allUp();
      let allowed = 0;
      for (let request = 0; request < 40; request += 1) {
        if ((await [one, other][request % 2]?.list())?.status === 200) allowed += 1;
      }
      expect(allowed).toBe(perMinute - 30);
      expect(await allowedOf(group.servers, 20)).toBe(0);
      expect(one.logged('back')).toBe(1);
    });

    test('keeps the bans that were started in Redis, on servers that have not heard of them, too', async () => {
      await using group = await startServersOnBoth(postgres);
      const [one] = group.servers;
      expect((await provokeBan({ ...group, servers: [one, one] })).body.code).toBe('key_banned');
      const third = await group.startServer();
      await killRedis(group, third);
      for (const server of [third, group.servers[1], one]) expect((await server.list()).body.code).toBe('key_banned');
      await group.redis.start();
      await group.allUp();
      for (const server of [third, group.servers[1], one]) expect((await server.list()).body.code).toBe('key_banned');
    });

    test('and PostgreSQL cannot count either: each server counts by itself, and no request is refused', async () => {
      await using group = await startServersOnBoth(postgres);
      const [one] = group.servers;
      expect(await one.remaining()).toBe(perMinute - 1);
      await postgres.query('ALTER ROLE tester SET default_transaction_read_only = on');
      await postgres.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'",
      );
      try {
        await killRedis(group);
        await eventually(async () => (await one.list()).status === 200, one.log);
        const before = await one.remaining();
        expect(await one.remaining()).toBe(before - 1);
      } finally {
        await postgres.query('BEGIN READ WRITE; ALTER ROLE tester RESET default_transaction_read_only; COMMIT');
      }
    });
  });
});
