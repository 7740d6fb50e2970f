import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { canHavePgBouncer, startPgBouncer } from '../../../testing/src/postgres/pgbouncer.ts';
import { startProxy, type TestProxy } from '../../../testing/src/postgres/proxy.ts';
import { setReplica } from '../../../testing/src/postgres/replica.ts';
import { type Storage, StorageUnavailableError } from '../storage/storage.ts';
import { opener } from '../storage/suite/engine.ts';
import { emptyUsage } from './count-request.ts';
import { createPostgresCounters } from './postgres-counters.ts';

const note = { text: 'Buy milk' };
const request = { caller: 'key:a', quota: { perMinute: 60, perDay: 1_000 }, rules: undefined, usage: emptyUsage(0) };

/** Longer than an answer is reused, and shorter than it takes to read metrics twice. */
const NEXT_SCRAPE = 250;

describeOnPostgres('the check of writes', (postgres) => {
  const open = opener({ freshUrl: () => postgres.freshUrl(), isSerial: false });
  const changeReplica = async (name: string) => {
    await setReplica(postgres, name);
    await sleep(100);
  };
  const hanging = async () =>
    (await postgres.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).length;

  /** Checks writes several times while commits hang, and once when they do not any more. */
  async function checkRepeatedly(storage: Storage): Promise<void> {
    await storage.checkWrites();
    await changeReplica('gone');
    for (let scrape = 0; scrape < 4; scrape += 1) {
      await sleep(NEXT_SCRAPE);
      await expect(storage.checkWrites()).rejects.toThrow(StorageUnavailableError);
    }
  }

  test.each(['', '&pool_size=1'])(
    'takes one connection while commits hang (%s), and no place of the pool',
    async (option) => {
      const storage = await open(`${await postgres.freshUrl()}${option}`);
      const database = storage.sharedDatabase;
      if (database === undefined) throw new Error('Several processes cannot share this database.');
      const counters = createPostgresCounters(database, 30_000);
      try {
        await checkRepeatedly(storage);
        expect(await hanging()).toBe(1);
        await expect(counters.count(request)).resolves.toMatchObject({ outcome: 'allowed' });
        expect(await storage.reader.listNotes()).toEqual([]);
      } finally {
        await changeReplica('');
      }
      await expect(storage.checkWrites()).resolves.toBeUndefined();
    },
  );

  (canHavePgBouncer() ? test : test.skip)(
    'takes one connection while commits hang, behind PgBouncer, too',
    async () => {
      await postgres.query("CREATE ROLE pooled LOGIN PASSWORD 'secret'");
      await postgres.query('CREATE DATABASE pooled OWNER pooled');
      await postgres.query('ALTER ROLE pooled SET statement_timeout = 1100');
      await postgres.query('ALTER ROLE pooled SET idle_in_transaction_session_timeout = 5000');
      await using pooler = await startPgBouncer(postgres.port, { name: 'pooled', password: 'secret' });
      const storage = await open(`${pooler.urlOf('pooled')}?pgbouncer=true`);
      try {
        await checkRepeatedly(storage);
        expect(await hanging()).toBe(1);
      } finally {
        await changeReplica('');
      }
      await expect(storage.checkWrites()).resolves.toBeUndefined();
      await storage.close();
    },
  );

  test('succeeds after a failover, although the connections of the pool lead to a server that only reads', async () => {
    await postgres.query('CREATE DATABASE failover');
    const storage = await open(postgres.urlOf('failover'));
    await postgres.query('ALTER DATABASE failover SET default_transaction_read_only = on');
    await postgres.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'failover'");
    while ((await postgres.query("SELECT 1 FROM pg_stat_activity WHERE datname = 'failover'")).length > 0);
    await sleep(100);
    await storage.reader.listNotes();
    await expect(storage.checkWrites()).rejects.toThrow(StorageUnavailableError);
    await postgres.query('ALTER DATABASE failover RESET default_transaction_read_only');
    await expect(storage.checkWrites()).resolves.toBeUndefined();
  });

  test('does not wait behind writers of a locked row', async () => {
    const url = await postgres.freshUrl();
    const storage = await open(`${url}&pool_size=2`);
    const { id } = await storage.transaction((transaction) => transaction.addNote(note));
    const searchPath = new URL(url).searchParams.get('options')?.replace('-c ', '');
    const lock = 'SELECT pg_sleep(2) FROM (SELECT 1 FROM notes FOR UPDATE) AS locked';
    const locked = postgres.query(`SET ${searchPath}; ${lock}`);
    await sleep(100);
    const writing = Array.from({ length: 12 }, () =>
      storage.transaction((transaction) => transaction.setState(id, 'a')),
    );
    await expect(storage.checkWrites()).resolves.toBeUndefined();
    await Promise.all([locked, Promise.allSettled(writing)]);
  });

  test('does not wait behind the pool after a check that failed, and leaves no connection', async () => {
    const storage = await open(`${await postgres.freshUrl()}&pool_size=1`);
    const own = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'notes' AND query LIKE '%logical_emit%'";
    await storage.checkWrites();
    await changeReplica('gone');
    await sleep(NEXT_SCRAPE);
    await expect(storage.checkWrites()).rejects.toThrow(StorageUnavailableError);
    await changeReplica('');
    const busy = storage.sharedDatabase?.use('reads', async ({ send }) => {
      for (const name of ['a', 'b', 'c']) await send({ name, text: 'SELECT pg_sleep(0.5)' });
    });
    await sleep(NEXT_SCRAPE);
    await expect(storage.checkWrites()).resolves.toBeUndefined();
    await busy;
    while ((await postgres.query(own)).length > 0) await sleep(20);
  });

  test('takes no connection of the pool for a commit that hangs if the server accepts no more', async () => {
    await postgres.query("CREATE ROLE narrow LOGIN PASSWORD 'secret'");
    await postgres.query('CREATE DATABASE narrow OWNER narrow');
    const url = new URL(postgres.urlOf('narrow'));
    Object.assign(url, { username: 'narrow', password: 'secret' });
    const storage = await open(url.href);
    await storage.reader.listNotes();
    await postgres.query('ALTER ROLE narrow CONNECTION LIMIT 1');
    await changeReplica('gone');
    try {
      await storage.checkWrites();
      expect(await storage.reader.listNotes()).toEqual([]);
      expect(await hanging()).toBe(0);
    } finally {
      await changeReplica('');
    }
  });

  test('is made once for all who ask within a short time', async () => {
    const storage = await open();
    const check = storage.checkWrites();
    expect(storage.checkWrites()).toBe(check);
    await check;
    expect(storage.checkWrites()).toBe(check);
  });

  describe('over a connection', () => {
    let proxy: TestProxy;
    beforeEach(async () => {
      proxy = await startProxy(postgres.port);
    });
    afterEach(() => proxy.stop());

    test('that is silent fails, and succeeds as soon as the database answers on a new one', async () => {
      const storage = await open(await postgres.freshUrl(proxy.port));
      await storage.checkWrites();
      await sleep(NEXT_SCRAPE);
      proxy.set({ kind: 'silent' });
      await expect(storage.checkWrites()).rejects.toThrow(StorageUnavailableError);
      proxy.set({ kind: 'open' });
      await expect(storage.checkWrites()).resolves.toBeUndefined();
    });
  });
});
