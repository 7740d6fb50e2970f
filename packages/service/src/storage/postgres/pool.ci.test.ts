import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { startProxy, type TestProxy } from '../../../../testing/src/postgres/proxy.ts';
import { timeouts } from '../../common/time.ts';
import { openStorageWith } from '../open.ts';
import { StorageUnavailableError } from '../storage.ts';
import { opener } from '../suite/engine.ts';
import { noteStore, type Storage, waitLong } from '../suite/notes.ts';
import { createPools } from './pool.ts';
import { defaultLimits } from './settings.ts';

const note = { text: 'Buy milk' };

describeOnPostgres('the connections to PostgreSQL', (postgres) => {
  let proxy: TestProxy;
  beforeEach(async () => {
    proxy = await startProxy(postgres.port);
  });
  afterEach(() => proxy.stop());
  const open = opener({ freshUrl: () => postgres.freshUrl(proxy.port), isSerial: false });
  const connections = async () =>
    Number((await postgres.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'notes'"))[0]?.[0]);

  test('are at most as many as the URL says', async () => {
    using _ = waitLong();
    const storage = await open(`${await postgres.freshUrl(proxy.port)}&pool_size=4`);
    const calls = Array.from({ length: 50 }, () => [
      storage.transaction((transaction) => transaction.addNote(note)),
      storage.reader.listNotes(),
    ]);
    await Promise.all(calls.flat());
    // How many it takes depends on how long the first calls need.
    expect(await connections()).toBeLessThanOrEqual(4);
    await storage.close();
    await eventually(
      async () => (await connections()) === 0,
      () => 'Connections stay open.',
    );
  });

  test('run concurrent queries of a call one after another', async () => {
    using _ = waitLong();
    const storage = await open();
    const notes = await storage.transaction((transaction) =>
      Promise.all(Array.from({ length: 20 }, () => transaction.addNote(note))),
    );
    expect(notes.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('join the pool after a slow sign-in, although the calls that began it have failed', async () => {
    const url = await postgres.freshUrl(proxy.port);
    const limits = { connectMs: 30_000, statementMs: 20_000, waitMs: 1_000 };
    const pools = createPools(url, 'service', limits);
    const ask = () => pools.read({ name: 'notes.ask', text: 'SELECT 1' });
    // A sign-in takes four round trips.
    proxy.set({ kind: 'slow', delay: 300 });
    const first = await Promise.allSettled(Array.from({ length: 10 }, ask));
    expect(first.map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
    await eventually(
      async () => (await Promise.allSettled([ask()]))[0].status === 'fulfilled',
      () => 'No call is served.',
    );
    expect(pools.load.connections?.open()).toBeLessThanOrEqual(4);
    proxy.set({ kind: 'open' });
    await pools.close();
  });

  test('are open when the storage is, although a sign-in takes longer than a request waits', async () => {
    const limits = { connectMs: 30_000, statementMs: 20_000, waitMs: 300 };
    // A sign-in takes four round trips, and a statement one.
    proxy.set({ kind: 'slow', delay: 50 });
    const storage = await openStorageWith(noteStore, await postgres.freshUrl(proxy.port), 'on-start', limits);
    await Promise.all([storage.reader.listNotes(), storage.transaction((writer) => writer.addNote(note))]);
    await storage.close();
  });

  test('fail only the calls that wait for an attempt to connect that fails', async () => {
    using _ = waitLong();
    const storage = await open(`${await postgres.freshUrl(proxy.port)}&pool_size=4`);
    const read = () => storage.reader.listNotes();
    await read();
    const busy = storage.transaction(async (transaction) => {
      await transaction.addNote(note);
      await Promise.all([read(), read()]);
      return transaction.addNote(note);
    });
    await expect(busy).resolves.toMatchObject({ id: 2 });
    // One that was signing in meanwhile joins the pool later.
    const terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notes'";
    const terminateAll = async () => {
      await postgres.query(terminate);
      return (await connections()) === 0;
    };
    await eventually(terminateAll, () => 'Connections stay open.');
    await eventually(
      async () => (await Promise.allSettled([read()]))[0].status === 'fulfilled',
      () => 'No call is served.',
    );
  });

  test('roll back queries that a failed call did not await', async () => {
    using _ = waitLong();
    const storage = await open();
    const forgotten: Promise<unknown>[] = [];
    const failed = storage.transaction(async (transaction) => {
      forgotten.push(transaction.addNote(note), transaction.addNote(note));
      throw new Error('No.');
    });
    await expect(failed).rejects.toThrow('No.');
    await Promise.allSettled(forgotten);
    expect(await storage.reader.listNotes()).toEqual([]);
  });

  test('are closed within two seconds if they stop answering during a transaction, which changes nothing', async () => {
    const storage = await open();
    const rollbacks = proxy.count('ROLLBACK');
    const start = performance.now();
    const work = storage.transaction(async (transaction) => {
      await transaction.addNote(note);
      proxy.set({ kind: 'silent' });
      return transaction.addNote(note);
    });
    await expect(work).rejects.toBeInstanceOf(StorageUnavailableError);
    // A ROLLBACK would wait for its answer as long again, and an open transaction for its end.
    expect(rollbacks()).toBe(0);
    expect(performance.now() - start).toBeLessThan(timeouts.idleInTransaction);
    // Also cuts the connection of the readers.
    proxy.set({ kind: 'cut' });
    proxy.set({ kind: 'open' });
    await eventually(
      () =>
        storage.ping().then(
          () => true,
          () => false,
        ),
      () => 'No call is served.',
    );
    expect(await storage.reader.listNotes()).toEqual([]);
  });

  test('a call that continues after the error of a statement is rejected, because the engine has rolled back', async () => {
    using _ = waitLong();
    const storage = await open();
    const work = storage.transaction(async (transaction) => {
      await transaction.addNote(note);
      await transaction.addNote({ text: '\0' }).catch(() => {});
    });
    await expect(work).rejects.toBeInstanceOf(StorageUnavailableError);
    expect(await storage.reader.listNotes()).toEqual([]);
  });

  describe('shared by statements that read', () => {
    const number = { name: 'notes.number', text: 'SELECT $1::int' };
    const inverse = { name: 'notes.inverse', text: 'SELECT 1 / $1::int' };
    async function openPools(size: number) {
      const pools = createPools(`${await postgres.freshUrl(proxy.port)}&pool_size=${size}`, 'service', defaultLimits());
      const ask = async (value: number) => (await pools.read(number, [value])).rows[0]?.[0];
      return { pools, ask };
    }

    test('answer in order, and a statement that fails takes no other along', async () => {
      using _ = waitLong();
      const { pools, ask } = await openPools(4);
      const failing = Array.from({ length: 20 }, (_, index) => pools.read(inverse, [index % 2]));
      const answers = Array.from({ length: 40 }, (_, index) => ask(index));
      expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, (_, index) => index));
      const statuses = (await Promise.allSettled(failing)).map(({ status }) => status);
      expect(statuses).toEqual(Array.from({ length: 20 }, (_, index) => (index % 2 ? 'fulfilled' : 'rejected')));
      await pools.close();
    });

    test('delay no other statement while one of them is slow', async () => {
      using _ = waitLong();
      const { pools, ask } = await openPools(4);
      await ask(0);
      const slow = pools.read({ name: 'notes.nap', text: 'SELECT pg_sleep(60)' });
      const ended = Promise.allSettled([slow]);
      await sleep(50);
      expect(await Promise.race([ask(1), slow])).toBe(1);
      await postgres.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'");
      await ended;
      await pools.close();
    });

    test('fail together when they are silent, and are used again afterwards', async () => {
      const { pools, ask } = await openPools(2);
      await ask(0);
      proxy.set({ kind: 'silent' });
      const start = performance.now();
      const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => ask(index)));
      expect(outcomes.map(({ status }) => status)).toEqual(Array(30).fill('rejected'));
      // One after the other, they would take thirty times as long as one.
      expect(performance.now() - start).toBeLessThan(10 * timeouts.statement);
      proxy.set({ kind: 'cut' });
      proxy.set({ kind: 'open' });
      await eventually(
        async () => (await Promise.allSettled([ask(7)]))[0].status === 'fulfilled',
        () => 'No call is served.',
      );
      await pools.close();
    });

    test('send what waits before they are closed', async () => {
      using _ = waitLong();
      const { pools, ask } = await openPools(2);
      const answers = Array.from({ length: 60 }, (_, index) => ask(index));
      await pools.close();
      expect(await Promise.all(answers)).toHaveLength(60);
    });
  });

  describe('shared by creations', () => {
    const create = (storage: Storage, text: string) =>
      storage.transaction((transaction) => transaction.addNote({ text }), true);

    test('commit them together, and each gets its own outcome', async () => {
      using _ = waitLong();
      const storage = await open();
      const commits = proxy.count('COMMIT');
      const works = Array.from({ length: 50 }, (_, index) => create(storage, `${index}`));
      expect((await Promise.all(works)).map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`));
      expect(commits()).toBeLessThanOrEqual(4);
      expect(await storage.reader.listNotes()).toHaveLength(50);
    });

    test('run each on its own if one of them fails or sends something else, and store none twice', async () => {
      using _ = waitLong();
      const storage = await open();
      const { id } = await create(storage, 'first');
      const works = [
        ...Array.from({ length: 5 }, (_, index) => create(storage, `${index}`)),
        create(storage, '\0'),
        storage.transaction(async (transaction) => {
          await transaction.addNote({ text: 'counted' });
          await transaction.setState(id, 'done');
        }, true),
        storage.transaction((transaction) => transaction.setState(id, 'seen'), true),
        storage.transaction(async () => {
          throw new Error('Refused.');
        }, true),
      ];
      const outcomes = (await Promise.allSettled(works)).map(({ status }) => status);
      expect(outcomes).toEqual([...Array(5).fill('fulfilled'), 'rejected', 'fulfilled', 'fulfilled', 'rejected']);
      const texts = (await storage.reader.listNotes()).map(({ text }) => text).sort();
      expect(texts).toEqual(['0', '1', '2', '3', '4', 'counted', 'first']);
    });

    test('say that the outcome is unknown if the connection is lost during their commit', async () => {
      using _ = waitLong();
      const storage = await open();
      await create(storage, 'first');
      const cut = proxy.cutAfter('COMMIT');
      const outcomes = Promise.allSettled(Array.from({ length: 5 }, (_, index) => create(storage, `${index}`)));
      await cut;
      const unknown = (await outcomes).filter(({ status }) => status === 'rejected');
      expect(unknown.length).toBeGreaterThan(0);
      for (const one of unknown) expect(one).toMatchObject({ reason: { name: 'OutcomeUnknownError' } });
    });
  });
});
