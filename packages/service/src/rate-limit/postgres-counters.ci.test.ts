import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { SharedDatabase, Storage } from '../storage/storage.ts';
import { opener } from '../storage/suite/engine.ts';
import { openNotes, waitLong } from '../storage/suite/notes.ts';
import { emptyUsage } from './count-request.ts';
import type { SharedCounters, SharedRequest } from './counters.ts';
import { rules } from './limit-cases-fixture.ts';
import { createPostgresCounters, forgetCallers } from './postgres-counters.ts';
import { describeCounters } from './suite/counters.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const quota = { perMinute: 60, perDay: 1_000 };
const known = { quota, rules, usage: emptyUsage(0) };

describeOnPostgres('counters in PostgreSQL', (postgres) => {
  describe('of one process', () => {
    let storage: Storage;
    let counters: SharedCounters;
    let patience: Disposable;
    beforeAll(async () => {
      patience = waitLong();
      storage = await openNotes(await postgres.freshUrl());
      counters = countersOf(storage);
    });
    afterAll(async () => {
      await storage?.close();
      patience[Symbol.dispose]();
    });
    describeCounters(() => counters);
  });

  const open = opener({ freshUrl: () => postgres.freshUrl(), isSerial: false });

  test('count simultaneous requests of a caller in a few round trips, so that none waits for all the others', async () => {
    using _ = waitLong();
    const counters = countersOf(await open());
    const before = await transactions();
    const counts = await Promise.all(
      Array.from({ length: 100 }, () => counters.count({ ...known, caller: 'crowd', now: DAY })),
    );
    expect((await transactions()) - before).toBeLessThan(20);
    expect(counts.map(({ usage }) => usage.dayUsed)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('count simultaneous requests of many callers in few statements, each as its own', async () => {
    using _ = waitLong();
    const counters = countersOf(await open());
    const callers = Array.from({ length: 100 }, (_, index) => `key:${index % 40}`);
    const before = await transactions();
    const counts = await Promise.all(callers.map((caller) => counters.count({ ...known, caller, now: DAY })));
    expect((await transactions()) - before).toBeLessThan(12);
    expect(counts.map(({ usage }) => usage.dayUsed)).toEqual(callers.map((_, index) => 1 + Math.floor(index / 40)));
  });

  test('count ahead at most a thousandth of what is left, and take back what did not come', async () => {
    using _ = waitLong();
    const counters = countersOf(await open());
    const MINUTE = 60_000;
    const count = (minute: number, lease: Pick<SharedRequest, 'ahead' | 'unused'> = {}) =>
      counters.count({
        ...known,
        ...lease,
        quota: { perMinute: 10_001, perDay: 50_000 },
        caller: 'busy',
        now: minute * MINUTE,
      });
    expect(await count(1, { ahead: 50 })).toMatchObject({ ahead: 10, usage: { minuteUsed: 1, dayUsed: 1 } });
    expect(await count(1)).toMatchObject({ ahead: 0, usage: { minuteUsed: 12, dayUsed: 12 } });
    const unused = { requests: 4, minute: 1 };
    expect(await count(1, { ahead: 5, unused })).toMatchObject({ ahead: 5, usage: { minuteUsed: 9, dayUsed: 9 } });
    expect(await count(2, { ahead: 0, unused })).toMatchObject({ ahead: 0, usage: { minuteUsed: 1, dayUsed: 11 } });
    const few = { ...known, caller: 'busy', now: 3 * MINUTE, quota: { perMinute: 900, perDay: 50_000 } };
    expect(await counters.count({ ...few, ahead: 50 })).toMatchObject({
      ahead: 0,
      usage: { minuteUsed: 1, dayUsed: 12 },
    });
  });

  test('read no whole table, even if it was empty when it was last analysed', async () => {
    using _ = waitLong();
    const url = await postgres.freshUrl();
    const searchPath = new URL(url).searchParams.get('options')?.replace('-c ', '');
    const query = (sql: string) => postgres.query(`SET ${searchPath}; ${sql}`);
    const storage = await open(url);
    const counters = countersOf(storage);
    // Only VACUUM notes that a table is empty, and it cannot run together with another statement.
    await postgres.query(`VACUUM ANALYZE ${searchPath?.split('=')[1]}.counts`);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          counters.count({ ...known, caller: `key:${round} ${index}`, now: DAY }),
        ),
      );
    }
    // Connections report what they did when they end.
    await storage.close();
    let [read, added] = [0, 0];
    const allReported = async () => {
      const [row = []] = await query(`SELECT seq_tup_read, n_tup_ins FROM pg_stat_user_tables
        WHERE relname = 'counts' AND schemaname = current_schema`);
      [read = 0, added = 0] = row.map(Number);
      return added >= 1_000;
    };
    await eventually(allReported, () => `Only ${added} new rows are reported.`);
    expect(read).toBeLessThan(1_000);
  });

  test('count for four processes that count the same callers in opposite directions, without a deadlock', async () => {
    using _ = waitLong();
    const url = await postgres.freshUrl();
    const processes = await Promise.all([1, 2, 3, 4].map(async () => countersOf(await open(url))));
    const callers = Array.from({ length: 30 }, (_, index) => `key:${index}`);
    for (let round = 0; round < 20; round += 1) {
      const counts = processes.flatMap((counters, index) =>
        (index % 2 === 0 ? callers : callers.toReversed()).map((caller) =>
          counters.count({ ...known, caller, now: DAY }),
        ),
      );
      await Promise.all(counts);
    }
    const last = await Promise.all(callers.map((caller) => processes[0]?.count({ ...known, caller, now: DAY })));
    expect(last.map((count) => count?.usage.dayUsed)).toEqual(callers.map(() => 81));
  });

  /** The number of transactions that have written. */
  async function transactions(): Promise<number> {
    return Number((await postgres.query('SELECT pg_current_xact_id()'))[0]?.[0]);
  }

  test('delete callers whose day is over, unless a ban still matters', async () => {
    using _ = waitLong();
    const storage = await open();
    const counters = countersOf(storage);
    const now = Date.now();
    const long = now - 3 * DAY;
    const banned = { ...emptyUsage(long), bans: 3, bannedUntil: now - HOUR };
    await counters.count({ ...known, caller: 'old', now: long });
    await counters.count({ ...known, caller: 'banned', now: long, rules: undefined, usage: banned });
    await counters.count({ ...known, caller: 'new', now });
    await forgetCallers(databaseOf(storage), DAY / 1_000);
    const usedBy = async (caller: string) => (await counters.count({ ...known, caller, now: long })).usage;
    expect((await usedBy('old')).dayUsed).toBe(1);
    expect((await usedBy('new')).dayUsed).toBe(2);
    expect(await usedBy('banned')).toMatchObject({ dayUsed: 2, bans: 3 });
    await forgetCallers(databaseOf(storage), 0);
    expect(await usedBy('banned')).toMatchObject({ dayUsed: 1, bans: 0 });
  });

  test('survive a crash of PostgreSQL, all that was counted before a creation was acknowledged', async () => {
    using _ = waitLong();
    const url = await postgres.freshUrl();
    const storage = await open(url);
    const counters = countersOf(storage);
    for (let count = 0; count < 5; count += 1) await counters.count({ ...known, caller: 'key:a' });
    await storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' }));
    await postgres.crash();
    await postgres.start();
    const later = await countersOf(await open(url)).count({ ...known, caller: 'key:a' });
    expect(later.usage.dayUsed).toBe(6);
  });
});

function countersOf(storage: Storage | undefined): SharedCounters {
  return createPostgresCounters(databaseOf(storage), 30_000);
}

function databaseOf(storage: Storage | undefined): SharedDatabase {
  if (storage?.sharedDatabase === undefined) throw new Error('Several processes cannot share this database.');
  return storage.sharedDatabase;
}
