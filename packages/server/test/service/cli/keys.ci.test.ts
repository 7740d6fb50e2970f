import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plans } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parseSecret } from '../../../../service/src/keys/key-format.ts';
import { createKeyRing } from '../../../../service/src/keys/key-ring.ts';
import { canHavePostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { startPostgres } from '../../../../testing/src/postgres/server.ts';
import { migrateStorage, openStorage } from '../../../src/operations/storage/index.ts';
import { folder, freshDatabaseUrl, runProcess, runRaw } from './cli-fixture.ts';

let databaseUrl: string;
beforeEach(async () => {
  databaseUrl = await freshDatabaseUrl();
});

const run = (...args: string[]) => runProcess(args, { DATABASE_URL: databaseUrl });

/** A key created on the command line. */
async function create(...args: string[]): Promise<{ id: string; secret: string }> {
  const made = JSON.parse((await run('create', '--plan', 'free', '--json', ...args)).out);
  return { id: made.id, secret: made.key };
}

const show = async (id: string) => JSON.parse((await run('show', id)).out);
const list = async () => JSON.parse((await run('list', '--json')).out);

describe('create', () => {
  test('prints only the key on stdout, and its description on stderr', async () => {
    const { code, out, note } = await run('create', '--plan', 'free', '--name', 'Ann');
    expect(code).toBe(0);
    expect(out).toMatch(/^as_test_[0-9A-Za-z]{49}\n$/);
    expect(parseSecret(out.trim(), 'as')).toBe('test');
    expect(note).toMatch(
      /^Created key_[0-9a-v]{16}: test key, plan Free, scope write, 60\/min 1000\/day\. Store the key now; it is not shown again\.\n$/,
    );
  });

  test('with --json prints everything on stdout and nothing on stderr', async () => {
    const args = ['--plan', 'enterprise', '--per-minute', '5', '--per-day', '50', '--expires-in', '30d'];
    const { code, out, note } = await run('create', ...args, '--name', '🐈 "x"', '--json');
    const made = JSON.parse(out);
    expect([code, note]).toEqual([0, '']);
    expect(made).toMatchObject({ plan: 'enterprise', name: '🐈 "x"', perMinute: 5, perDay: 50 });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(30 * 86_400_000);
    expect(parseSecret(made.key, 'as')).toBe('test');
  });

  (canHavePostgres() ? test : test.skip)('works on PostgreSQL: create, list, show, rotate, revoke', async () => {
    const postgres = await startPostgres();
    try {
      databaseUrl = await postgres.freshUrl();
      const empty = await run('list');
      expect(empty).toMatchObject({
        code: 1,
        out: '',
        note: expect.stringContaining('has no tables. Set DATABASE_URL'),
      });
      await migrateStorage(databaseUrl);
      const place = `postgres://127.0.0.1:${postgres.port}/postgres`;
      expect((await runRaw(['list'], { DATABASE_URL: databaseUrl })).note).toMatch(`Database: ${place}\n`);
      const { id } = await create('--name', 'Ann');
      expect((await run('rotate', id)).code).toBe(0);
      expect((await show(id)).secrets).toHaveLength(2);
      expect((await run('revoke', id)).out).toMatch(new RegExp(`^${id} was revoked at `));
      expect((await list()).at(-1)).toMatchObject({ id, name: 'Ann', state: 'revoked' });
    } finally {
      await postgres.remove();
    }
  });

  test('accepts a value that begins with - after =', async () => {
    expect((await run('create', '--plan=free', '--name=-x')).code).toBe(0);
    expect((await list())[0].name).toBe('-x');
  });

  test('uses data/animal-store.db if DATABASE_URL is not set or empty', async () => {
    const refused = await runProcess(['create', '--plan', 'free'], {});
    expect(refused).toEqual({
      code: 1,
      out: '',
      note: `The database ${join(folder, 'data/animal-store.db')} does not exist. Set DATABASE_URL to the database of the servers. To create a new one, run npm run migrate or start a server.\n`,
    });
    expect(existsSync(join(folder, 'data'))).toBe(false);
    await migrateStorage(`sqlite:${join(folder, 'data/animal-store.db')}`);
    expect((await runProcess(['create', '--plan', 'free'], {})).code).toBe(0);
    expect((await runProcess(['create', '--plan', 'free'], { DATABASE_URL: ' ' })).code).toBe(0);
    const { code, out, note } = await runRaw(['list', '--json'], {});
    expect([code, JSON.parse(out), note]).toEqual([
      0,
      [expect.anything(), expect.anything()],
      `Database: sqlite:${join(folder, 'data/animal-store.db')}\n`,
    ]);
  });

  test('refuses a database without tables, which may be the wrong one', async () => {
    const path = join(folder, 'empty.db');
    writeFileSync(path, '');
    const { code, note } = await runProcess(['list'], { DATABASE_URL: `sqlite:${path}` });
    expect([code, note]).toEqual([1, expect.stringContaining(`The database ${path} has no tables.`)]);
  });
});

describe('list', () => {
  test('without keys prints nothing on stdout, and [] as JSON', async () => {
    expect(await run('list')).toMatchObject({ code: 0, out: '', note: expect.stringContaining('no keys yet') });
    expect(await run('list', '--json')).toEqual({ code: 0, out: '[]\n', note: '' });
  });

  test('prints a table of keys, without their secrets', async () => {
    const ann = await create('--name', 'Ann');
    const bob = await create('--expires-in', '1d', '--scope', 'read');
    await run('revoke', ann.id);
    const { code, out, note } = await run('list');
    expect([code, note]).toEqual([0, '']);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^ID +PLAN +LIMITS +SCOPE +EXPIRES +STATE +SECRETS +NAME$/);
    expect(lines[1]).toMatch(
      new RegExp(`^${ann.id}  free  60/min 1000/day  write  never +revoked  as_test_….{4}  Ann$`),
    );
    expect(lines[2]).toMatch(new RegExp(`^${bob.id}  free  60/min 1000/day  read   \\S+Z +active +as_test_….{4}$`));
    expect(out).not.toContain(ann.secret.slice(8, -4));
  });

  test('shows no control characters, even if a stored name contains them', async () => {
    const storage = await openStorage(databaseUrl);
    const secret = { hash: Buffer.from('h'), hint: 'as_live_…abcd', createdAt: 1 };
    await storage.keys.add({ id: 'key_1', plan: 'free', scope: 'write', name: 'a\u001b[31m\nb', createdAt: 1 }, secret);
    await storage.close();
    expect((await run('list')).out).toContain('a\\u{1b}[31m\\u{a}b');
  });

  test('prints the same data as JSON', async () => {
    const { id } = await create();
    const hint = expect.stringMatching(/^as_test_….{4}$/);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
    const key = { id, plan: 'free', scope: 'write', perMinute: 60, perDay: 1000, createdAt: time, state: 'active' };
    expect(await list()).toEqual([{ ...key, secrets: [{ hint, createdAt: time }] }]);
  });
});

describe('show', () => {
  const DAY = 86_400_000;

  /** Saves the usage of a key as a server saves it now, and returns the ends of its windows. */
  async function saveUsage(keyId: string, used: { bans: number; bannedUntil: number }) {
    const now = Date.now();
    const [minute, day] = [Math.floor(now / 60_000), Math.floor(now / DAY)];
    const storage = await openStorage(databaseUrl);
    await storage.usage.save([{ keyId, minute, minuteUsed: 12, day, dayUsed: 340, ...used }]);
    await storage.close();
    return { minuteEnd: (minute + 1) * 60_000, dayEnd: (day + 1) * DAY };
  }

  test('prints what is known about a key as JSON', async () => {
    const { id } = await create('--name', 'Ann', '--scope', 'read');
    const bannedUntil = Date.parse('2126-12-01T12:00:00Z');
    const { minuteEnd, dayEnd } = await saveUsage(id, { bans: 2, bannedUntil });
    expect(await show(id)).toMatchObject({
      id,
      name: 'Ann',
      plan: 'free',
      scope: 'read',
      state: 'active',
      lastUsedAt: new Date(minuteEnd - 60_000).toISOString(),
      day: { limit: 1_000, remaining: 660, reset: new Date(dayEnd).toISOString() },
      bannedUntil: '2126-12-01T12:00:00.000Z',
      bans: 2,
    });
  });

  test('leaves out what a key does not have; a window that has ended is unused', async () => {
    const { id } = await create();
    expect(await show(id)).not.toHaveProperty('lastUsedAt');
    const { minuteEnd } = await saveUsage(id, { bans: 0, bannedUntil: 0 });
    const wasOver = Date.now() >= minuteEnd;
    const shown = await show(id);
    const isOver = Date.now() >= minuteEnd;
    // The minute may end while the command runs.
    if (wasOver === isOver) expect(shown.minute).toMatchObject({ limit: 60, remaining: isOver ? 60 : 48 });
    else expect([48, 60]).toContain(shown.minute.remaining);
    for (const name of ['name', 'expiresAt', 'revokedAt', 'bans', 'bannedUntil']) {
      expect(shown).not.toHaveProperty(name);
    }
  });

  test('does not state what Redis counts', async () => {
    const { id } = await create();
    await saveUsage(id, { bans: 1, bannedUntil: Date.now() - 1_000 });
    const environment = { DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1' };
    const shown = JSON.parse((await runProcess(['show', id, '--json'], environment)).out);
    expect(shown.bans).toBe(1);
    for (const name of ['minute', 'day', 'lastUsedAt']) expect(shown).not.toHaveProperty(name);
  });
});

describe('rotate', () => {
  test('prints only the new key on stdout; the older one remains valid for 24 hours', async () => {
    const { id, secret } = await create();
    const { code, out, note } = await run('rotate', id);
    expect(code).toBe(0);
    expect(parseSecret(out.trim(), 'as')).toBe('test');
    expect(out.trim()).not.toBe(secret);
    expect(note).toMatch(/^key_\S+ has a new key\. The old key ends at \S+Z\. .*\n$/);
    const [older, newer] = (await list())[0].secrets;
    expect(Date.parse(older.expiresAt) - Date.parse(newer.createdAt)).toBe(86_400_000);
  });
});

test('revoke ends a key, and prints the same line when repeated', async () => {
  const { id } = await create();
  const first = await run('revoke', id);
  expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^key_\S+ was revoked at \S+Z\.\n$/), note: '' });
  expect(await run('revoke', id)).toEqual(first);
  expect((await list())[0].state).toBe('revoked');
});

describe('set', () => {
  test('changes the plan, and running servers use it within 5 seconds', async () => {
    const { id, secret } = await create();
    const storage = await openStorage(databaseUrl);
    let now = Date.now();
    const keys = createKeyRing(storage.keys, contract, () => now, 'test');
    expect((await keys.verify(secret, now))?.plan).toBe('free');
    const { code, out } = await run('set', id, '--plan', 'pro', '--scope', 'read');
    expect([code, out]).toEqual([
      0,
      `${id} now has plan Pro, scope read, ${plans.pro.perMinute}/min ${plans.pro.perDay}/day.\n`,
    ]);
    now += 5_000;
    expect(await keys.verify(secret, now)).toMatchObject({ plan: 'pro', scope: 'read' });
    await storage.close();
  });

  test('keeps the limits of a key while its plan has none, and requires limits if it changes to such a plan', async () => {
    const { id } = await create();
    expect((await run('set', id, '--plan', 'enterprise')).note).toContain('Add --per-minute N --per-day N.');
    const own = JSON.parse(
      (await run('set', id, '--plan', 'enterprise', '--per-minute', '5', '--per-day', '50', '--json')).out,
    );
    expect(own).toMatchObject({ plan: 'enterprise', perMinute: 5, perDay: 50 });
    const more = JSON.parse((await run('set', id, '--per-day', '70', '--json')).out);
    expect(more).toMatchObject({ perMinute: 5, perDay: 70 });
    expect((await run('set', id, '--plan', 'pro')).code).toBe(0);
    await run('revoke', id);
    expect(await run('set', id, '--plan', 'free')).toMatchObject({ code: 2, note: expect.stringContaining('revoked') });
  });
});

test('unban ends the ban of a key, and says whether there was one', async () => {
  const { id } = await create();
  expect((await run('unban', id)).out).toBe(`${id} was not banned.\n`);
  const storage = await openStorage(databaseUrl);
  const bannedUntil = Date.now() + 3_600_000;
  await storage.usage.save([{ keyId: id, minute: 1, minuteUsed: 1, day: 1, dayUsed: 1, bans: 3, bannedUntil }]);
  await storage.close();
  expect(JSON.parse((await run('unban', id, '--json')).out)).toEqual({ id, wasBanned: true });
  expect((await run('unban', id)).out).toBe(`${id} was not banned.\n`);
  expect(await show(id)).not.toHaveProperty('bannedUntil');
});
