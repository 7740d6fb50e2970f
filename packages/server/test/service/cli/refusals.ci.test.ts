import { DatabaseSync } from 'node:sqlite';
import { plans } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { openStorage } from '../../../src/operations/storage/index.ts';
import { freshDatabaseUrl, runProcess } from './cli-fixture.ts';

const databaseUrl = await freshDatabaseUrl();
const run = (...args: string[]) => runProcess(args, { DATABASE_URL: databaseUrl });

describe('help', () => {
  const commands = ['create', 'list', 'show', 'rotate', 'set', 'unban', 'revoke'];

  test.each([['--help'], ['-h'], ['help'], ...commands.map((command) => [command, '--help'])])(
    '%s %s',
    async (...args) => {
      const { code, out, note } = await run(...args);
      expect([code, note]).toEqual([0, '']);
      expect(out).toContain('Usage: npm run --silent keys -- ');
      for (const command of commands) expect(out).toContain(command);
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    },
  );

  test('opens no database, and ignores other arguments', async () => {
    expect((await runProcess(['create', '--plan', 'nonsense', '-h'], { DATABASE_URL: 'nonsense' })).code).toBe(0);
  });
});

describe('wrong arguments', () => {
  const id = 'key_0123456789abcdef';

  test.concurrent.each<[string[], string]>([
    [[], 'A command is missing. Use create, list, show, rotate, set, unban, revoke.'],
    [['set', id], 'set needs at least one of --plan,'],
    [['revoke', id, '--json'], 'revoke has no option --json. Its options are none.'],
    [['\u001b[31m\n'], 'Unknown command "\\u{1b}[31m\\u{a}"'],
    [['create', 'free'], 'Unexpected argument "free". With npm, put -- before the arguments'],
    [['create', '--plan'], "Option '--plan <value>' argument missing. See:"],
    [['create', '--plan', 'gold'], `There is no plan gold. The plans are ${Object.keys(plans).join(', ')}.`],
    [['create', '--plan', 'free', '--scope', 'admin'], '--scope must be one of read, write, not "admin".'],
    [['create', '--plan', 'free', '--colour', 'red'], "Unknown option '--colour'. See:"],
    [['create', '--plan', 'enterprise'], 'Add --per-minute N --per-day N.'],
    [['create', '--plan', 'pro', '--per-minute', '5', '--per-day', '9'], 'Omit --per-minute and --per-day.'],
    [['create', '--plan', 'enterprise', '--per-minute', '10', '--per-day', '9'], 'must not be smaller'],
    [['create', '--plan', 'free', '--name', '\u001b]0;x\u0007'], 'must not contain control characters'],
    [
      ['create', '--plan', 'free', '--expires-in', '30'],
      '--expires-in must be a duration such as 30d, 24h, 15m or 90s',
    ],
    [['list', '--plan', 'free'], 'list has no option --plan. Its options are --json.'],
    [['show'], 'show needs a key ID. To list the keys, run: npm run --silent keys -- list'],
    [['show', id], 'No key has this ID. To list the keys, run: npm run --silent keys -- list'],
    [['rotate', id, '--overlap', 'long'], '--overlap must be a duration'],
    [['rotate', 'KEY_1'], '"KEY_1" is not a key ID'],
    [['revoke', 'as_live_secret'], 'revoke needs the ID of the key, not the key itself.'],
  ])('%j: one line that says %s', async (args, message) => {
    const { code, out, note } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(note).toContain(message);
    expect(note).toMatch(/^[^\n]+\n$/);
    expect(note).not.toContain('as_live_secret');
  });

  test('rotating a revoked key: one line that says what to do', async () => {
    const key = JSON.parse((await run('create', '--plan', 'free', '--json')).out);
    await run('revoke', key.id);
    const note = 'The key is revoked. Create a new one. Run: npm run --silent keys -- create\n';
    expect(await run('rotate', key.id)).toEqual({ code: 2, out: '', note });
  });
});

describe('database problems', () => {
  test('a URL that is not valid: one line, exit status 2', async () => {
    const { code, note } = await runProcess(['list'], { DATABASE_URL: 'mysql://user:pass@host/x' });
    expect(code).toBe(2);
    expect(note).toMatch(/^[^\n]* The database URL does not name a supported engine\. Use sqlite:PATH[^\n]*\n$/);
    expect(note).not.toContain('pass');
  });

  test.each([
    ['sqlite::memory:', 'sqlite::memory: ends with its process. Set DATABASE_URL to a file.'],
    ['sqlite:.', 'cannot be opened: unable to open database file.'],
    ['sqlite:/dev/null/x.db', 'The database /dev/null/x.db does not exist. Set DATABASE_URL'],
  ])('%s: one line, exit status 1', async (url, message) => {
    const { code, out, note } = await runProcess(['list'], { DATABASE_URL: url });
    expect([code, out]).toEqual([1, '']);
    expect(note).toContain(message);
    expect(note).toMatch(/^[^\n]+\n$/);
  });

  test.concurrent('another process holds the lock for long: one line, exit status 1', async () => {
    const url = await freshDatabaseUrl();
    await (await openStorage(url)).close();
    using database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec('BEGIN IMMEDIATE');
    const { code, out, note } = await runProcess(['create', '--plan', 'free'], { DATABASE_URL: url });
    expect([code, out]).toEqual([1, '']);
    expect(note).toMatch(/^The database .* database is locked\.\n$/);
  });
});
