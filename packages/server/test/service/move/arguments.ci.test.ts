import { describe, expect, test } from '@jest/globals';
import { runMove } from './move-fixture.ts';

describe('the arguments of move', () => {
  test('--help prints the usage', async () => {
    const { code, out } = await runMove(['--help']);
    expect([code, out]).toEqual([0, expect.stringContaining('--to URL    An empty PostgreSQL database, version 15')]);
  });

  test.each([
    [{ DATABASE_URL: 'sqlite:served.db' }, 'The database served.db does not exist. Change DATABASE_URL.'],
    [{ DATABASE_URL: 'postgres://u:secret@h/d' }, 'DATABASE_URL must be an embedded database: sqlite:PATH.'],
    [{ DATABASE_URL: 'served.db' }, 'DATABASE_URL is not usable. The database URL does not name a supported engine.'],
    [{ NODE_ENV: 'production' }, 'DATABASE_URL is missing, and production has no default.'],
  ])('without --from, %j names the source', async (environment, message) => {
    const { code, out, note } = await runMove(['--to', 'postgres://h/d'], undefined, environment);
    expect([code, out]).toEqual([2, '']);
    expect(note).toContain(message);
    expect(note).not.toContain('secret');
  });

  test.each([
    [[], '--to is missing. Use --to'],
    [['--to', 'sqlite:x.db'], '--to must be a PostgreSQL database'],
    [['--to', 'postgres://u:secret@h'], '--to is not valid. The database URL does not name a database.'],
    [['--from', 'sqlite::memory:', '--to', 'postgres://h/d'], '--from must be an embedded database'],
    [['--from', 'sqlite:none.db', '--to', 'postgres://h/d'], 'The database none.db does not exist. Change --from.'],
    [['postgres://u:secret@h/d'], 'The only options are --from URL and --to URL.'],
  ])('%j: one line that says what to do, exit status 2', async (args, message) => {
    const { code, out, note } = await runMove(args);
    expect([code, out]).toEqual([2, '']);
    expect(note).toMatch(/^[^\n]+\n$/);
    expect(note).toContain(message);
    expect(note).not.toContain('secret');
  });
});
