import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { startProxy, type TestProxy } from '../../../../testing/src/postgres/proxy.ts';
import { OutcomeUnknownError, StorageUnavailableError } from '../storage.ts';
import { gate, opener } from '../suite/engine.ts';
import type { Note, Transaction } from '../suite/notes.ts';
import { TransactionContext } from '../transaction-context.ts';
import { GroupedTransactions } from './grouped-transactions.ts';

const MANY = 40;

describeOnPostgres('transactions that send one statement', (postgres) => {
  let proxy: TestProxy;
  beforeEach(async () => {
    proxy = await startProxy(postgres.port);
  });
  afterEach(() => proxy.stop());
  const open = opener({ freshUrl: () => postgres.freshUrl(proxy.port), isSerial: false });

  /** A storage that has learned that transactions named `add` send one statement, and has one note. */
  async function openLearned(url?: string) {
    const storage = await open(url);
    const add = (
      text: string,
      work = (transaction: Transaction, note: Pick<Note, 'text'>) => transaction.addNote(note),
    ) => storage.transaction((transaction) => work(transaction, { text }), 'add');
    for (let count = 0; count < 20; count += 1) await add(`note ${count}`);
    const addMany = () => Array.from({ length: MANY }, (_, index) => add(`many ${index}`));
    const texts = async () => (await storage.reader.listNotes()).slice(20).map(({ text }) => text);
    return { storage, add, addMany, texts };
  }

  const many = Array.from({ length: MANY }, (_, index) => `many ${index}`);
  const writes = async () => Number((await postgres.query('SELECT pg_snapshot_xmax(pg_current_snapshot())'))[0]?.[0]);

  test('share commits once that is known of their name', async () => {
    const { addMany, texts } = await openLearned();
    const before = await writes();
    const notes = await Promise.all(addMany());
    expect((await writes()) - before).toBeLessThan(6);
    expect(new Set(notes.map(({ id }) => id)).size).toBe(MANY);
    expect((await texts()).sort()).toEqual([...many].sort());
  });

  test.each<
    [what: string, work: (transaction: Transaction, note: Pick<Note, 'text'>) => Promise<Note>, message: string]
  >([
    [
      'throws after its statement',
      async (transaction, note) => {
        await transaction.addNote(note);
        throw new Error('No.');
      },
      'No.',
    ],
    ['sends an invalid statement', (transaction) => transaction.addNote({ text: '\0' }), 'invalid byte sequence'],
  ])('are stored once each, without one that %s', async (_what, work, message) => {
    const { add, addMany, texts } = await openLearned();
    const adding = addMany();
    await expect(add('wrong', work)).rejects.toThrow(message);
    await Promise.all(adding);
    expect((await texts()).sort()).toEqual([...many].sort());
  });

  test('are stored once each, as is one that turns out to send two', async () => {
    const { add, addMany, texts } = await openLearned();
    const adding = addMany();
    const two = add('one', async (transaction, note) => {
      await transaction.addNote({ text: 'two' });
      return transaction.addNote(note);
    });
    await Promise.all([...adding, two]);
    expect((await texts()).sort()).toEqual([...many, 'one', 'two'].sort());
  });

  test('are stored once each, as is one whose work takes long before its statement', async () => {
    const { add, addMany, texts } = await openLearned();
    const slow = add('slow', async (transaction, note) => {
      await sleep(100);
      return transaction.addNote(note);
    });
    await Promise.all(addMany());
    await slow;
    expect((await texts()).sort()).toEqual([...many, 'slow'].sort());
  });

  test('are stored whole, even if the work ignores that its second statement failed', async () => {
    const { add, addMany, texts } = await openLearned();
    const two = add('one', async (transaction, note) => {
      const added = await transaction.addNote(note);
      await transaction.addNote({ text: 'two' }).catch(() => {});
      return added;
    });
    await Promise.all([...addMany(), two]);
    expect((await texts()).sort()).toEqual([...many, 'one', 'two'].sort());
  });

  test('are stored, although one of the group ignores the error of its statement', async () => {
    const { add, addMany, texts } = await openLearned();
    const adding = addMany();
    const wrong = add('wrong', async (transaction, note) => {
      await transaction.addNote({ text: '\0' }).catch(() => {});
      return { id: 0, ...note };
    });
    await expect(wrong).rejects.toBeInstanceOf(StorageUnavailableError);
    await Promise.all(adding);
    expect((await texts()).sort()).toEqual([...many].sort());
  });

  test('run in the async context of their callers', async () => {
    const { add } = await openLearned();
    const context = new AsyncLocalStorage<number>();
    const seen = await Promise.all(
      many.map((text, index) =>
        context.run(index, () => {
          let own: number | undefined;
          return add(text, (transaction, note) => {
            own = context.getStore();
            return transaction.addNote(note);
          }).then(() => own);
        }),
      ),
    );
    expect(seen).toEqual(many.map((_, index) => index));
  });

  test('that come while a group finds its connection dead run alone, because other connections may work', async () => {
    let isDead = true;
    const connection = {
      inFlight: 0,
      send: async () => ({ rows: [], count: 1 }),
      command: async () => {
        if (!isDead) return 'COMMIT';
        await sleep(50);
        isDead = false;
        throw new StorageUnavailableError(new Error('dead'));
      },
    };
    const grouped = new GroupedTransactions({
      use: (call) => call(connection),
      alone: (work) => work(connection.send),
      context: new TransactionContext(),
      commit: async () => {},
    });
    const add = () => grouped.run('add', (send) => send({ name: 'notes.add', text: '' }));
    for (let count = 0; count < 20; count += 1) await add();
    const first = add();
    await sleep(10);
    const later = Array.from({ length: 10 }, add);
    await expect(first).rejects.toBeInstanceOf(StorageUnavailableError);
    expect(await Promise.all(later)).toHaveLength(10);
  });

  test('wait neither for one that waits for something else, nor for a lock', async () => {
    const { storage, add, addMany } = await openLearned();
    const { id } = await add('a');
    const set = () => storage.transaction((transaction) => transaction.setState(id, 'done'), 'set');
    for (let count = 0; count < 20; count += 1) await set();
    const [locked, end] = [gate(), gate()];
    const holding = storage.transaction(async (transaction) => {
      await transaction.findNote(id);
      locked.open();
      await end.opened;
    });
    await locked.opened;
    const start = performance.now();
    const waiting = set();
    const slow = add('slow', async (transaction, note) => {
      const added = await transaction.addNote(note);
      await end.opened;
      return added;
    });
    await Promise.all(addMany());
    expect(performance.now() - start).toBeLessThan(700);
    end.open();
    await Promise.all([holding, waiting, slow]);
    expect((await storage.reader.findNote(id))?.state).toBe('done');
    expect((await storage.reader.listNotes()).filter(({ text }) => text === 'slow')).toHaveLength(1);
  });

  test('have an unknown outcome if the answer to their commit is lost, and are all stored or none', async () => {
    const { addMany, texts } = await openLearned();
    void proxy.cutAfter('COMMIT');
    const outcomes = await Promise.allSettled(addMany());
    const rejected = outcomes.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const outcome of rejected) expect(outcome).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
    await sleep(100);
    expect([MANY, MANY - rejected.length]).toContain((await texts()).length);
  });

  test('are rejected within two seconds if the database is silent, and work again afterwards', async () => {
    const { add, addMany, texts } = await openLearned();
    proxy.set({ kind: 'silent' });
    const start = performance.now();
    const outcomes = await Promise.allSettled(addMany());
    expect(performance.now() - start).toBeLessThan(3_000);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    proxy.set({ kind: 'cut' });
    proxy.set({ kind: 'open' });
    await add('later');
    expect(await texts()).toEqual(['later']);
  });

  test('are completed before the storage is closed', async () => {
    const url = await postgres.freshUrl();
    const { storage, addMany } = await openLearned(url);
    const adding = addMany();
    await storage.close();
    await Promise.all(adding);
    expect(await (await open(url)).reader.listNotes()).toHaveLength(20 + MANY);
  });
});
