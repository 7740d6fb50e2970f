import { anonymousLimits, banRules } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { describeRedis } from '../../../redis/test/in-tests.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import {
  perMinute,
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
