import { expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { Network } from '../../../testing/src/postgres/proxy.ts';
import {
  perMinute,
  provokeBan,
  remainingIn,
  restore,
  type ServerGroup,
  startServersOnPostgres,
} from './server-group.ts';

/** Faults of the connection of one server to the database. */
const faults: [name: string, network: Network][] = [
  ['cut off', { kind: 'cut' }],
  ['so slow that each answer takes a minute', { kind: 'slow', delay: 60_000 }],
  ['silent, on connections that stay open', { kind: 'silent' }],
];

describeOnPostgres('a PostgreSQL that counts', (postgres) => {
  test.each(faults)(
    'and is %s: the server continues from the last usage it knows, logs it once, and hands over what it counted',
    async (_, network) => {
      await using group = await startServersOnPostgres(postgres);
      const [one, other] = group.servers;
      expect([await one.remaining(), await other.remaining()]).toEqual([perMinute - 1, perMinute - 2]);

      group.proxies[0].set(network);
      const responses = await Promise.all([one.list(), one.list(), one.list()]);
      expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(new Set(responses.map(remainingIn))).toEqual(new Set([perMinute - 2, perMinute - 3, perMinute - 4]));
      expect([await one.areCountersUp(), one.logged('away')]).toEqual([false, 1]);
      expect([await other.areCountersUp(), await other.remaining()]).toEqual([true, perMinute - 3]);

      restore(group.proxies[0]);
      await group.allUp();
      expect([one.logged('back'), other.logged('away')]).toEqual([1, 0]);
      // 3 before, 3 by itself; a request that timed out may be counted twice.
      const used = perMinute - (await one.remaining());
      expect(used).toBeGreaterThanOrEqual(7);
      expect(used).toBeLessThanOrEqual(8);
      expect(await other.remaining()).toBe(perMinute - used - 1);
    },
  );

  test('and is read-only: lists are served, and the server counts by itself', async () => {
    await using group = await startServersOnPostgres(postgres);
    const [one] = group.servers;
    await postgres.query('ALTER ROLE tester SET default_transaction_read_only = on');
    endConnections(group);
    try {
      // Several failures in a row open the circuit.
      const countsAlone = async () => (await one.list()).status === 200 && !(await one.areCountersUp());
      await eventually(countsAlone, one.log);
      expect((await one.list()).status).toBe(200);
    } finally {
      await postgres.query('BEGIN READ WRITE; ALTER ROLE tester RESET default_transaction_read_only; COMMIT');
    }
    endConnections(group);
    await group.allUp();
    expect((await one.list()).status).toBe(200);
  });

  test('and crashes: it learns the usage from the servers, and keeps a ban', async () => {
    await using group = await startServersOnPostgres(postgres);
    const [one, other] = group.servers;
    for (let request = 0; request < 10; request += 1) await one.list();
    await group.crashCounters();
    await group.allUp();
    expect(await one.remaining()).toBe(perMinute - 11);
    expect(await other.remaining()).toBe(perMinute - 12);
    expect((await provokeBan(group)).body.code).toBe('key_banned');
    await group.crashCounters();
    await group.allUp();
    for (const server of group.servers) expect((await server.list()).body.code).toBe('key_banned');
  });
});

function endConnections({ proxies }: ServerGroup): void {
  proxies.forEach(restore);
}
