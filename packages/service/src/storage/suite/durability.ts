import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { allNotes, type Engine, opener } from './engine.ts';
import { openNotes } from './notes.ts';

const note = { text: 'Buy milk 🥛' };
const notes_ts = new URL('notes.ts', import.meta.url).href;

/** Runs code in a separate process, with `storage` open on that URL. Returns its output. */
async function elsewhere(url: string, code: string): Promise<string> {
  const script = `import { openNotes, waitLong } from ${JSON.stringify(notes_ts)};
    waitLong();
    const storage = await openNotes(${JSON.stringify(url)});
    ${code}
    await storage.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return stdout;
}

/** The requirements for engines whose data other processes and later starts can read. */
export function describeDurability(name: string, engine: Engine): void {
  const open = opener(engine);

  describe(`durability of ${name}`, () => {
    test('all data is there after closing and reopening', async () => {
      const url = await engine.freshUrl();
      const first = await openNotes(url);
      await first.transaction((transaction) => transaction.addNote(note));
      await first.usage.save([{ keyId: 'k', minute: 1, minuteUsed: 2, day: 3, dayUsed: 4, bans: 5, bannedUntil: 6 }]);
      await first.keys.add(
        { id: 'key_1', plan: 'pro', scope: 'write', createdAt: 1 },
        { hash: Buffer.from('h'), hint: 'x', createdAt: 1 },
      );
      await first.close();
      const second = await open(url);
      expect(await allNotes(second)).toEqual([{ id: 1, ...note }]);
      expect(await second.usage.load(3, 0)).toHaveLength(1);
      expect((await second.keys.list())[0]?.plan).toBe('pro');
      expect((await second.transaction((transaction) => transaction.addNote(note))).id).toBe(2);
    });

    test('committed data survives the death of the process', async () => {
      const url = await engine.freshUrl();
      const dying = elsewhere(
        url,
        `await storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' }));
         storage.transaction(async (transaction) => {
           await transaction.addNote({ text: 'Unfinished' });
           process.kill(process.pid, 'SIGKILL');
         });
         await new Promise((resolve) => setTimeout(resolve, 60_000));`,
      );
      await expect(dying).rejects.toMatchObject({ signal: 'SIGKILL' });
      expect((await allNotes(await open(url))).map((one) => one.text)).toEqual(['Buy tea']);
    });

    test('six processes that start at once on a new database all succeed', async () => {
      const url = await engine.freshUrl();
      const add = `const one = await storage.transaction((transaction) => transaction.addNote({ text: 'Buy tea' }));
        console.log(one.id);`;
      const ids = await Promise.all(Array.from({ length: 6 }, () => elsewhere(url, add)));
      expect(ids.map(Number).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('two storages on one database see the commits of the other', async () => {
      const url = await engine.freshUrl();
      const [one, other] = [await open(url), await open(url)];
      await one.transaction((transaction) => transaction.addNote(note));
      expect(await allNotes(other)).toHaveLength(1);
      const works = [one, other].flatMap((storage) =>
        Array.from({ length: 100 }, () => storage.transaction((transaction) => transaction.addNote(note))),
      );
      const ids = (await Promise.all(works)).map((one) => one.id);
      expect(new Set(ids).size).toBe(200);
      expect(await allNotes(one)).toHaveLength(201);
    });
  });
}
