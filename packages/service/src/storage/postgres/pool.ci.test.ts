import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { startProxy, type TestProxy } from '../../../../testing/src/postgres/proxy.ts';
import { setReplica } from '../../../../testing/src/postgres/replica.ts';
import { timeouts } from '../../common/time.ts';
import { StorageUnavailableError } from '../storage.ts';
import { gate, opener } from '../suite/engine.ts';
import { waitLong } from '../suite/notes.ts';
import { createPool } from './pool.ts';

const note = { text: 'Buy milk' };
const usage = { minute: 7, minuteUsed: 3, day: 1, dayUsed: 9, bans: 0, bannedUntil: 0 };

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
    const storage = await open(`${await postgres.freshUrl(proxy.port)}&pool_size=3`);
    await Promise.all(
      Array.from({ length: 50 }, () => storage.transaction((transaction) => transaction.addNote(note))),
    );
    // Writes leave one to reads.
    expect(await connections()).toBe(2);
    await storage.close();
    while ((await connections()) > 0);
  });

  test('run concurrent queries of a call one after another', async () => {
    using _ = waitLong();
    const storage = await open();
    const notes = await storage.transaction((transaction) =>
      Promise.all(Array.from({ length: 20 }, () => transaction.addNote(note))),
    );
    expect(notes.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test.each([
    [4, ['notes', 'tasks', 'keys', 'usage']],
    [4, ['transactions', 'maintenance', 'counts', 'transactions']],
    [1, ['transactions']],
  ])('are used again after all %i of them were silent, whatever kinds of work used them: %j', async (size, kinds) => {
    const pool = createPool(`${await postgres.freshUrl(proxy.port)}&pool_size=${size}`, 'service');
    const ask = (kind: string) => pool.use(kind, ({ send }) => send({ name: `${kind}.ask`, text: 'SELECT 1' }));
    await Promise.all(kinds.map(ask));
    proxy.set({ kind: 'silent' });
    const outcomes = await Promise.allSettled(kinds.map(ask));
    expect(outcomes.map(({ status }) => status)).toEqual(kinds.map(() => 'rejected'));
    proxy.set({ kind: 'open' });
    expect((await ask('notes')).rows).toEqual([[1]]);
    // PostgreSQL may take a moment to end the backends of the calls that were given up.
    const isWritable = () =>
      ask('transactions').then(
        () => true,
        () => false,
      );
    await eventually(isWritable, () => 'The connections refuse writes.');
    await pool.close();
  });

  test('are left to reads while writes outside of transactions hang', async () => {
    const storage = await open(`${await postgres.freshUrl(proxy.port)}&pool_size=4`);
    const keyIds = Array.from({ length: 8 }, (_, index) => `key-${index}`);
    await storage.usage.save(keyIds.map((keyId) => ({ ...usage, keyId })));
    await setReplica(postgres, 'gone');
    // The first ones that get no answer make the others fail that wait for a connection, so they are sent in two waves.
    const waves = [keyIds.slice(0, 4), keyIds.slice(4)];
    for (const wave of waves) await Promise.allSettled(wave.map((keyId) => storage.usage.endBan(keyId, Date.now())));
    const hanging = await postgres.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    await setReplica(postgres, '');
    // A quarter of the connections is for reads.
    expect(hanging).toHaveLength(3);
    await sleep(1_500);
    await expect(storage.checkWrites()).resolves.toBeUndefined();
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

  test('are waited for beyond their timeout as long as other calls get answers', async () => {
    const storage = await open(`${await postgres.freshUrl(proxy.port)}&pool_size=2`);
    const addOne = () => storage.transaction((transaction) => transaction.addNote(note));
    await addOne();
    proxy.set({ kind: 'busy' });
    const until = performance.now() + 2_000;
    const busy = storage.transaction(async (transaction) => {
      while (performance.now() < until) await transaction.findNote(1);
    });
    expect(await Promise.all([addOne(), addOne(), addOne()])).toHaveLength(3);
    await busy;
  });

  test('count as an unavailable engine if they time out and no call gets an answer', async () => {
    const storage = await open(`${await postgres.freshUrl(proxy.port)}&pool_size=2`);
    await postgres.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notes'");
    while ((await connections()) > 0);
    proxy.set({ kind: 'busy' });
    const read = () => storage.reader.listNotes();
    const start = performance.now();
    const readings = await Promise.allSettled([read(), read(), read()]);
    expect(readings.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    // Two of them fail to connect; the third one would wait this long for a free connection.
    expect(performance.now() - start).toBeLessThan(timeouts.freeConnection);
  });

  test('are not considered silent if their answer arrived while this process was busy', async () => {
    const storage = await open(await postgres.freshUrl());
    const read = () => storage.reader.listNotes();
    await read();
    const reading = read();
    // The query is sent by now. Block for longer than an answer may take.
    await new Promise((resolve) => setImmediate(resolve));
    for (const until = performance.now() + 1_600; performance.now() < until; );
    expect(await reading).toEqual([]);
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
    proxy.set({ kind: 'cut' });
    proxy.set({ kind: 'open' });
    expect(await storage.reader.listNotes()).toEqual([]);
  });

  test('distinguish a locked row from an unavailable engine even if all wait for the row, at 40 ms of latency each way', async () => {
    const url = new URL(`${await postgres.freshUrl(proxy.port)}&pool_size=3`);
    const storage = await open(url.href);
    const { id } = await storage.transaction((transaction) => transaction.addNote(note));
    const away: unknown[] = [];
    storage.sharedDatabase?.onAway((error) => away.push(error));
    url.port = `${postgres.port}`;
    const neighbour = await open(url.href);
    const [locked, end] = [gate(), gate()];
    const holding = neighbour.transaction(async (transaction) => {
      await transaction.findNote(id);
      locked.open();
      await end.opened;
    });
    await locked.opened;
    proxy.set({ kind: 'slow', delay: 40 });
    const find = () => storage.transaction((transaction) => transaction.findNote(id));
    const waiting = Promise.allSettled([find(), find(), find()]);
    const others = Promise.all(Array.from({ length: 20 }, () => storage.reader.findNote(id)));
    try {
      const refused = { reason: { name: 'StorageUnavailableError', cause: { code: '57014' } } };
      expect(await waiting).toMatchObject([refused, refused, refused]);
      expect(await others).toHaveLength(20);
      expect(away).toEqual([]);
    } finally {
      end.open();
      await holding;
    }
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

  describe('shared by single statements', () => {
    const number = { name: 'notes.number', text: 'SELECT $1::int' };
    const inverse = { name: 'notes.inverse', text: 'SELECT 1 / $1::int' };
    const nap = { name: 'notes.nap', text: 'SELECT pg_sleep(0.5)' };
    async function openPool(size: number) {
      const pool = createPool(`${await postgres.freshUrl(proxy.port)}&pool_size=${size}`, 'service');
      const ask = async (value: number) => (await pool.send('notes', number, [value])).rows[0]?.[0];
      return { pool, ask };
    }

    test('answer in order over few connections, and a statement that fails takes no other along', async () => {
      using _ = waitLong();
      const { pool, ask } = await openPool(8);
      const failing = Array.from({ length: 20 }, (_, index) => pool.send('notes', inverse, [index % 2]));
      const answers = Array.from({ length: 40 }, (_, index) => ask(index));
      const open = pool.load.connections?.open() ?? 0;
      expect(await Promise.all(answers)).toEqual(Array.from({ length: 40 }, (_, index) => index));
      const statuses = (await Promise.allSettled(failing)).map(({ status }) => status);
      expect(statuses).toEqual(Array.from({ length: 20 }, (_, index) => (index % 2 ? 'fulfilled' : 'rejected')));
      expect(open).toBeLessThanOrEqual(4);
      await pool.close();
    });

    test('delay no other statement while one of them is slow', async () => {
      using _ = waitLong();
      const { pool, ask } = await openPool(4);
      await ask(0);
      const slow = pool.send('notes', { ...nap, text: 'SELECT pg_sleep(60)' });
      const ended = Promise.allSettled([slow]);
      await sleep(50);
      expect(await Promise.race([ask(1), slow])).toBe(1);
      await postgres.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'");
      await ended;
      await pool.close();
    });

    test('go back to the pool for other work, even if they are never idle', async () => {
      using _ = waitLong();
      const { pool, ask } = await openPool(1);
      let isOver = false;
      let answers = 0;
      const busy = Array.from({ length: 8 }, async (_, index) => {
        for (; !isOver; answers += 1) expect(await ask(index)).toBe(index);
      });
      await sleep(50);
      const before = answers;
      await pool.use('transactions', ({ command }) => command('SELECT 1'));
      // The busy ones get some hundred answers in their turn of 20 ms.
      expect(answers - before).toBeLessThan(10_000);
      isOver = true;
      await Promise.all(busy);
      await pool.close();
    });

    test('are given up together when they are silent', async () => {
      const { pool, ask } = await openPool(2);
      await ask(0);
      proxy.set({ kind: 'silent' });
      const start = performance.now();
      const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => ask(index)));
      expect(outcomes.map(({ status }) => status)).toEqual(Array(30).fill('rejected'));
      // One after the other, they would take thirty times as long as one.
      expect(performance.now() - start).toBeLessThan(15 * timeouts.answer);
      proxy.set({ kind: 'cut' });
      proxy.set({ kind: 'open' });
      expect(await ask(7)).toBe(7);
      await pool.close();
    });

    test('are watched as before after a statement that may take long', async () => {
      const { pool, ask } = await openPool(1);
      await pool.use('notes', ({ send }) => send(number, [1], 60_000));
      proxy.set({ kind: 'silent' });
      const start = performance.now();
      await expect(ask(2)).rejects.toBeInstanceOf(StorageUnavailableError);
      // With the timeout of the statement before, it would take 60 seconds.
      expect(performance.now() - start).toBeLessThan(45_000);
      await pool.close();
    });

    test('reject statements that have waited for five seconds behind others', async () => {
      const { pool } = await openPool(1);
      const start = performance.now();
      // All together take eight seconds.
      const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => pool.send('notes', nap)));
      expect(performance.now() - start).toBeGreaterThan(timeouts.freeConnection - 100);
      expect(outcomes[0]?.status).toBe('fulfilled');
      expect(outcomes[15]?.status).toBe('rejected');
      await pool.close();
    });

    test('send what waited before they are closed', async () => {
      using _ = waitLong();
      const { pool, ask } = await openPool(1);
      const answers = Array.from({ length: 60 }, (_, index) => ask(index));
      await pool.close();
      expect(await Promise.all(answers)).toHaveLength(60);
    });
  });
});
