import { expect, test } from '@jest/globals';
import { dayOf, minuteOf } from '../../../service/src/common/time.ts';
import { emptyUsage } from '../../../service/src/rate-limit/count-request.ts';
import { createPostgresCounters } from '../../../service/src/rate-limit/postgres-counters.ts';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { eventually } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { NOON, startTestServer } from '../harness.ts';

const DAY = 86_400_000;

describeOnPostgres('a server on PostgreSQL', (postgres) => {
  test('continues from the usage that a server without counters in the database has saved', async () => {
    using _ = waitLong();
    const databaseUrl = await postgres.freshUrl();
    await using first = await startTestServer({ databaseUrl });
    const { key, secret } = await first.keys.create({ plan: 'free' });
    await using storage = await open(databaseUrl);
    const windows = { minute: minuteOf(NOON), day: dayOf(NOON), bans: 0, bannedUntil: 0 };
    await storage.usage.save([{ keyId: key.id, ...windows, minuteUsed: 41, dayUsed: 70 }]);

    await using second = await startTestServer({ databaseUrl });
    for (const [server, left] of [
      [second, '18'],
      [first, '17'],
    ] as const) {
      const response = await server.call('listPets', { key: secret });
      expect(response.headers.get('x-ratelimit-remaining')).toBe(left);
    }
  });

  test('deletes the counts of past days when it starts', async () => {
    using _ = waitLong();
    const databaseUrl = await postgres.freshUrl();
    await using storage = await open(databaseUrl);
    const request = { quota: { perMinute: 60, perDay: 1_000 }, rules: undefined, usage: emptyUsage(0) };
    const counters = storage.sharedDatabase && createPostgresCounters(storage.sharedDatabase, 30_000);
    const used = async (caller: string, now: number) =>
      (await counters?.count({ ...request, caller, now }))?.usage.dayUsed;
    const now = Date.now();
    const beforeYesterday = now - 3 * DAY;
    expect([await used('address:old', beforeYesterday), await used('address:new', now)]).toEqual([1, 1]);

    await using server = await startTestServer({ databaseUrl });
    const [, schema] = /search_path%3D(\w+)/.exec(databaseUrl) ?? [];
    const isForgotten = async () => {
      const [row] = await postgres.query(`SELECT count(*) FROM ${schema}.counts WHERE caller = 'address:old'`);
      return row?.[0] === '0';
    };
    await eventually(isForgotten, server.log);
    expect(await used('address:new', now)).toBe(2);
  });
});

/** A storage that is closed after the test. */
async function open(databaseUrl: string) {
  const storage = await openStorage(databaseUrl);
  return { ...storage, [Symbol.asyncDispose]: storage.close };
}
