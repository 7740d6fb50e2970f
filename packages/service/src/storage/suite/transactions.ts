import { describe, expect, test } from '@jest/globals';
import { allNotes, type Engine, gate, opener } from './engine.ts';
import type { Storage, Transaction } from './notes.ts';

const note = { text: 'Buy milk 🥛' };

export function describeTransactions(engine: Engine): void {
  const open = opener(engine);
  const add = (storage: Storage) => storage.transaction((transaction) => transaction.addNote(note));

  describe('transaction', () => {
    test('sees its own changes, and those committed before', async () => {
      const storage = await open();
      await add(storage);
      await storage.transaction(async (transaction) => {
        const added = await transaction.addNote(note);
        expect(await transaction.findNote(added.id)).toEqual(added);
        expect(await transaction.listNotes()).toHaveLength(2);
      });
    });

    if (engine.isSerial) describeSerial(open);
    else describeSideBySide(open);

    test('whose work rejects changes nothing, and rejects with the same error', async () => {
      const storage = await open();
      const error = new Error('No.');
      const refused = storage.transaction(async (transaction) => {
        await transaction.addNote(note);
        await transaction.saveIdempotencyRecord('key', 'a', {
          fingerprint: '',
          status: 201,
          headers: {},
          body: '',
          createdAt: 1,
        });
        throw error;
      });
      await expect(refused).rejects.toBe(error);
      expect(await allNotes(storage)).toEqual([]);
      expect(
        await storage.transaction((transaction) => transaction.findIdempotencyRecord('key', 'a', 0)),
      ).toBeUndefined();
    });

    test('whose work throws synchronously rejects', async () => {
      const storage = await open();
      const refused = storage.transaction(() => {
        throw new Error('At once.');
      });
      await expect(refused).rejects.toThrow('At once.');
      expect((await add(storage)).id).toBe(1);
    });

    test('of 1000 at once, every tenth rejects and changes nothing; all others succeed', async () => {
      const storage = await open();
      const works = Array.from({ length: 1_000 }, (_, index) =>
        storage.transaction(async (transaction) => {
          const one = await transaction.addNote({ text: `${index}` });
          if (index % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
          if (index % 10 === 0) throw new Error(`${index}`);
          return one;
        }),
      );
      const results = await Promise.allSettled(works);
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(100);
      const stored = await allNotes(storage);
      const added = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(stored).toEqual(added.sort((a, b) => a.id - b.id));
      expect(stored.some((one) => Number(one.text) % 10 === 0)).toBe(false);
    });

    test('does not show uncommitted changes to readers', async () => {
      const storage = await open();
      const { opened, open: goOn } = gate();
      const added = gate();
      const refused = storage.transaction(async (transaction) => {
        await transaction.addNote(note);
        added.open();
        await opened;
        throw new Error('No.');
      });
      await added.opened;
      const seen = Promise.all([allNotes(storage), storage.reader.findNote(1)]);
      goOn();
      await expect(refused).rejects.toThrow('No.');
      expect(await seen).toEqual([[], undefined]);
    });

    test('is seen by readers as soon as it resolves', async () => {
      const storage = await open();
      for (let count = 1; count <= 20; count += 1) {
        await add(storage);
        expect(await allNotes(storage)).toHaveLength(count);
      }
    });

    test('cannot be used after its work ends', async () => {
      const storage = await open();
      const leaked = await storage.transaction(async (transaction): Promise<Transaction[]> => [transaction]);
      await expect(leaked[0]?.addNote(note)).rejects.toThrow(
        'The transaction is over, so storage can no longer be used. Await each use',
      );
      expect(await allNotes(storage)).toEqual([]);
    });

    test('inside a transaction is refused, because it would deadlock', async () => {
      const storage = await open();
      await expect(storage.transaction(() => add(storage))).rejects.toThrow('it would wait for itself');
      expect((await add(storage)).id).toBe(1);
    });

    test('can be started by code that a transaction left running', async () => {
      const storage = await open();
      const later = await storage.transaction(async () => ({
        added: new Promise((resolve) => setImmediate(resolve)).then(() => add(storage)),
      }));
      expect(await later.added).toMatchObject({ id: 1 });
    });
  });
}

type Open = () => Promise<Storage>;

function describeSerial(open: Open): void {
  test('runs units of work one after another, in the order of their start', async () => {
    const storage = await open();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => storage.transaction(work(name))));
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });
}

function describeSideBySide(open: Open): void {
  test('runs concurrently with transactions on other rows', async () => {
    const storage = await open();
    const [one, other] = [gate(), gate()];
    // Each waits until the other has begun.
    const first = storage.transaction(async (transaction) => {
      one.open();
      await other.opened;
      return transaction.addNote(note);
    });
    // Transactions that begin in one turn may run one after another.
    await one.opened;
    const second = storage.transaction(async (transaction) => {
      other.open();
      await one.opened;
      return transaction.addNote(note);
    });
    expect((await Promise.all([first, second])).map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  test('waits for another one that found the same note, and sees its changes', async () => {
    const storage = await open();
    const { id } = await storage.transaction((transaction) => transaction.addNote(note));
    const [found, goOn] = [gate(), gate()];
    const first = storage.transaction(async (transaction) => {
      await transaction.findNote(id);
      found.open();
      await goOn.opened;
      await transaction.setState(id, 'done');
    });
    await found.opened;
    const second = storage.transaction((transaction) => transaction.findNote(id));
    expect((await storage.reader.findNote(id))?.state).toBeUndefined();
    goOn.open();
    await first;
    expect((await second)?.state).toBe('done');
  });

  test('runs again after a deadlock with another one', async () => {
    const storage = await open();
    const notes = await storage.transaction(async (transaction) => [
      await transaction.addNote(note),
      await transaction.addNote(note),
    ]);
    const ids = notes.map(({ id }) => id);
    const gates = [gate(), gate()];
    let runs = 0;
    const crosswise = (mine: number) =>
      storage.transaction(async (transaction) => {
        runs += 1;
        await transaction.findNote(ids[mine] ?? 0);
        gates[mine]?.open();
        await gates[1 - mine]?.opened;
        await transaction.setState(ids[1 - mine] ?? 0, 'done');
      });
    const first = crosswise(0);
    await gates[0]?.opened;
    await Promise.all([first, crosswise(1)]);
    expect(runs).toBe(3);
    expect((await allNotes(storage)).map(({ state }) => state)).toEqual(['done', 'done']);
  });
}
