import { expect, test } from '@jest/globals';
import { eventually } from '../../../../scripts/testing/child.ts';
import type { TcpProxy } from '../../../../scripts/testing/tcp-proxy.ts';
import { describeOnPostgres } from '../postgres/in-tests.ts';
import { type Fleet, perMinute, provokeBan, remainingIn, startFleetOn } from './fleet.ts';

/** What becomes of the way of one server to the database. */
const faults: [name: string, begin: (proxy: TcpProxy) => void][] = [
  ['cut off', (proxy) => proxy.cut()],
  ['so slow that each answer takes a minute', (proxy) => proxy.slow(60_000)],
  ['mute, on connections that stay open', (proxy) => proxy.hang()],
];

describeOnPostgres('a PostgreSQL that counts', (postgres) => {
  test.each(faults)(
    'and is %s: the server goes on from what it heard last, says so once, and hands over what it counted',
    async (_, begin) => {
      await using fleet = await startFleetOn(postgres);
      const [one, other] = fleet.ships;
      expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);

      begin(fleet.proxies[0]);
      const responses = await Promise.all([one.list(), one.list(), one.list()]);
      expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(new Set(responses.map(remainingIn))).toEqual(new Set([perMinute - 2, perMinute - 3, perMinute - 4]));
      expect([await one.areCountersUp(), one.said('away')]).toEqual([false, 1]);
      expect([await other.areCountersUp(), await other.remaining()]).toEqual([true, perMinute - 3]);

      fleet.proxies[0].mend();
      await fleet.together();
      expect([one.said('back'), other.said('away')]).toEqual([1, 0]);
      // 3 before, 3 alone; what was on its way when its answer was given up may be counted twice.
      const used = perMinute - (await one.remaining());
      expect(used).toBeGreaterThanOrEqual(7);
      expect(used).toBeLessThanOrEqual(8);
      expect(await other.remaining()).toBe(perMinute - used - 1);
    },
  );

  test('and only reads is one that is away for the counting; lists are delivered', async () => {
    await using fleet = await startFleetOn(postgres);
    const [one] = fleet.ships;
    await postgres.query('ALTER ROLE tester SET default_transaction_read_only = on');
    endConnections(fleet);
    try {
      const delivers = async () => (await one.list()).status === 200;
      await eventually(delivers, one.log);
      expect(await one.areCountersUp()).toBe(false);
    } finally {
      await postgres.query('BEGIN READ WRITE; ALTER ROLE tester RESET default_transaction_read_only; COMMIT');
    }
    endConnections(fleet);
    await fleet.together();
    expect((await one.list()).status).toBe(200);
  });

  test('and crashes hears from the servers what was used, and keeps a ban', async () => {
    await using fleet = await startFleetOn(postgres);
    const [one, other] = fleet.ships;
    for (let request = 0; request < 10; request += 1) await one.list();
    await fleet.crash();
    await fleet.together();
    expect(await one.remaining()).toBe(perMinute - 11);
    expect(await other.remaining()).toBe(perMinute - 12);
    expect((await provokeBan(fleet)).body.code).toBe('key_banned');
    await fleet.crash();
    await fleet.together();
    for (const ship of fleet.ships) expect((await ship.list()).body.code).toBe('key_banned');
  });
});

function endConnections({ proxies }: Fleet): void {
  for (const proxy of proxies) {
    proxy.cut();
    proxy.mend();
  }
}
