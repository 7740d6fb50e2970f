import { anonymousLimits, banRules } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { describeRedis } from '../../src/quota/counters-fixture.ts';
import { describeOnPostgres } from '../postgres/in-tests.ts';
import { type Fleet, perMinute, provokeBan, startFleet, startFleetOn } from './fleet.ts';

describeRedis('servers that share their counters in Redis', () => describeTogether(startFleet));
describeOnPostgres('servers that share their counters in PostgreSQL', (postgres) =>
  describeTogether(() => startFleetOn(postgres)),
);

function describeTogether(start: () => Promise<Fleet>): void {
  test('count a key down together, one by one', async () => {
    await using fleet = await start();
    const [one, other] = fleet.ships;
    const counted = [await one.remaining(), await other.remaining(), await other.remaining(), await one.remaining()];
    expect(counted).toEqual([perMinute - 1, perMinute - 2, perMinute - 3, perMinute - 4]);
  });

  test('let exactly the quota pass, all of it at once, and agree on the next minute', async () => {
    await using fleet = await start();
    const [one, other] = fleet.ships;
    const both = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => (index % 2 === 0 ? one : other).list()));
    const statuses = (await both(200)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(perMinute);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - perMinute);
    for (const ship of fleet.ships) ship.clock.now += 60_000;
    expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);
  });

  test('go on where they stood when all of them are started again, however often they wrote usage down', async () => {
    await using fleet = await start();
    const [one, other] = fleet.ships;
    for (const ship of [one, one, one, other]) await ship.list();
    // Which writes down what there is to write; the one that knows less does so last.
    await other.stop();
    await one.stop();
    expect(await (await fleet.launch()).remaining()).toBe(perMinute - 5);
  });

  test('count addresses together, too', async () => {
    await using fleet = await start();
    const [one, other] = fleet.ships;
    const anonymous = async (ship: typeof one) => (await ship.call('listPets', { key: null })).headers;
    expect((await anonymous(one)).get('x-ratelimit-remaining')).toBe(String(anonymousLimits.perMinute - 1));
    expect((await anonymous(other)).get('x-ratelimit-remaining')).toBe(String(anonymousLimits.perMinute - 2));
  });

  test('agree on a ban, which a server that starts later holds, too', async () => {
    await using fleet = await start();
    const ban = await provokeBan(fleet);
    expect(ban).toMatchObject({ status: 429, body: { code: 'key_banned' } });
    for (const ship of fleet.ships) expect((await ship.list()).body.code).toBe('key_banned');
    expect((await (await fleet.launch()).list()).body.code).toBe('key_banned');
  });

  test('keep a ban when who counts has crashed and all of them are gone: it is in the storage', async () => {
    await using fleet = await start();
    await provokeBan(fleet);
    for (const ship of fleet.ships) await ship.stop();
    await fleet.crash();
    const heir = await fleet.launch();
    const response = await heir.list();
    expect(response.body.code).toBe('key_banned');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(banRules.firstSeconds - 1);
  });

  test('turn a key away everywhere within 5 seconds after one of them revoked it', async () => {
    await using fleet = await start();
    const [one, other] = fleet.ships;
    expect((await other.list()).status).toBe(200);
    const free = (await one.keys.list()).find(({ plan }) => plan === 'free');
    await one.keys.revoke(free?.id ?? '');
    expect((await one.list()).status).toBe(401);
    other.clock.now += 5_000;
    expect((await other.list()).status).toBe(401);
  });
}
