import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { timeouts } from '../../../service/src/common/time.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { setReplica } from '../../../testing/src/postgres/replica.ts';
import { startTestServer } from '../harness.ts';

/** The default `pool_size`. */
const MOST_CONNECTIONS = 8;

describeOnPostgres('a PostgreSQL whose commits hang, because its synchronous replica is gone', (postgres) => {
  const connections = async () => {
    const [[count] = []] = await postgres.query(
      "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'animal-store'",
    );
    return Number(count);
  };

  test('serves every read, takes a bounded number of connections, and writes again when the replica is back', async () => {
    await using server = await startTestServer({ databaseUrl: await postgres.freshUrl() });
    const create = () => server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
    expect((await create()).status).toBe(201);
    await setReplica(postgres, 'gone');
    const reads: number[] = [];
    let slowest = 0;
    const writes: number[] = [];
    const open: number[] = [];
    for (let wave = 0; wave < 5; wave += 1) {
      const creating = Array.from({ length: 10 }, create);
      const listing = Array.from({ length: 10 }, () => server.call('listPets'));
      const startedAt = performance.now();
      reads.push(...(await Promise.all(listing)).map(({ status }) => status));
      slowest = Math.max(slowest, performance.now() - startedAt);
      writes.push(...(await Promise.all(creating)).map(({ status }) => status));
      open.push(await connections());
    }
    expect(new Set(reads)).toEqual(new Set([200]));
    // Their requests cannot be counted either, and wait for that only as long as the counters may take.
    expect(slowest).toBeLessThan(timeouts.count + 1_000);
    expect(new Set(writes)).toEqual(new Set([503]));
    expect(Math.max(...open)).toBeLessThanOrEqual(MOST_CONNECTIONS);
    const last = await create();
    expect(last.body.message).toContain('Nothing was changed');
    await setReplica(postgres, '');
    // The server reads its configuration within a moment.
    let status = 503;
    while (status !== 201) {
      await setTimeout(50);
      status = (await create()).status;
    }
  });
});
