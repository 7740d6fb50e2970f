import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import type { TestResponse } from '../harness.ts';
import { runToItsEnd } from '../process.ts';
import { createStore, type RunningStore, type Store } from './store.ts';

function expectUnavailable(response: TestResponse): void {
  expect(response.status).toBe(503);
  expect(response.body.code).toBe('service_unavailable');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(response.text).not.toMatch(/sqlite|disk|store\.db/i);
}

function namesIn(response: TestResponse): string[] {
  return response.body.map(({ name }: { name: string }) => name);
}

async function readiness(server: RunningStore): Promise<number> {
  return (await fetch(`${server.url}/readyz`)).status;
}

describe('a disk that is full', () => {
  test('refuses creations with 503, still lists, is ready for reads, and accepts creations again when there is space', async () => {
    await using store = await createStore();
    // Limits the size of the write-ahead log, so that writes beyond it fail as on a full disk.
    const server = await store.start({
      through: ['prlimit', `--fsize=${200 * 1024}:unlimited`],
    });
    const added: string[] = [];
    let refused: TestResponse | undefined;
    for (let number = 0; refused === undefined && number < 500; number += 1) {
      const name = `${number}`.padEnd(250, '-');
      const response = await server.add(name, { headers: { 'idempotency-key': `full-${number}` } });
      if (response.status === 201) added.push(name);
      else refused = response;
    }
    if (refused === undefined) throw new Error('The disk was never full.');
    expectUnavailable(refused);
    expect(namesIn(await server.list())).toEqual(added.slice(0, 100));
    expect(await readiness(server)).toBe(200);
    execFileSync('prlimit', ['--pid', String(server.child.pid), '--fsize=unlimited:unlimited']);
    const late = await server.add('late', { headers: { 'idempotency-key': `full-${added.length}` } });
    expect(late.status).toBe(201);
    // The reason is in the log, without a stack for each request.
    expect(server.output()).toMatch(/"unavailable":"(the disk|writes)/);
    expect(server.output()).not.toContain('    at ');
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const again = await store.start();
    expect(namesIn(await again.list('limit=100&status=available'))).toEqual([]);
    const database = new DatabaseSync(store.path, { readOnly: true });
    expect(database.prepare('SELECT count(*) AS pets FROM pets').get()).toEqual({ pets: added.length + 1 });
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });
});

describe('a database that another process has locked', () => {
  test('causes 503 for creations after some seconds, but not for lists, and creations succeed again when the lock is released', async () => {
    await using store = await createStore();
    const server = await store.start();
    expect((await server.add('before')).status).toBe(201);
    const other = new DatabaseSync(store.path);
    // The server may be writing.
    other.exec('PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE');
    const creation = server.add('while locked');
    expect(namesIn(await server.list())).toEqual(['before']);
    expectUnavailable(await creation);
    other.exec('ROLLBACK');
    other.close();
    expect((await server.add('after')).status).toBe(201);
    expect(namesIn(await server.list())).toEqual(['before', 'after']);
  });
});

describe('a database file that is moved away', () => {
  test('makes creations fail and the server not ready; when the file is back, everything works again', async () => {
    await using store = await createStore();
    const server = await store.start();
    await server.add('before');
    renameSync(store.path, `${store.path}.away`);
    expectUnavailable(await server.add('lost'));
    expect(await readiness(server)).toBe(503);
    // Reads check the file once a second.
    await eventually(
      async () => (await server.list()).status !== 200,
      () => 'The server still reads.',
    );
    expectUnavailable(await server.list());
    expectUnavailable(await server.list());
    renameSync(`${store.path}.away`, store.path);
    expect((await server.add('after')).status).toBe(201);
    expect(await readiness(server)).toBe(200);
    expect(namesIn(await server.list())).toEqual(['before', 'after']);
  });
});

describe('a read-only database', () => {
  /** Root can write to any file unless it drops that capability. */
  const asOthers =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'] : [];

  test.each([
    ['file', 0o444, 0o755],
    ['file in a read-only folder', 0o444, 0o555],
  ])('as a %s makes the server refuse to start, with one plain sentence', async (_, mode, folderMode) => {
    await using store = await createStore();
    chmodSync(store.path, mode);
    chmodSync(dirname(store.path), folderMode);
    const { code, output } = await runToItsEnd({ PORT: '0', DATABASE_URL: store.url }, asOthers);
    chmodSync(dirname(store.path), 0o755);
    expect(output).toMatch(
      /^The database .* cannot be opened: attempt to write a readonly database\. Check DATABASE_URL\.\n$/,
    );
    expect(code).toBe(1);
  });
});

describe('a damaged file', () => {
  test.each([
    ['is not a database', 'This is a letter, not a database.'.repeat(200)],
    ['ends after its header', 'SQLite format 3\0'],
  ])('that %s makes the server refuse to start, with one plain sentence', async (_, content) => {
    await using store = await createStore();
    for (const end of ['', '-wal', '-shm']) rmSync(`${store.path}${end}`, { force: true });
    writeFileSync(store.path, content);
    const { code, output } = await runToItsEnd({ PORT: '0', DATABASE_URL: store.url });
    expect(code).toBe(1);
    expect(output).toMatch(/^The database .* cannot be opened: .+\. Check DATABASE_URL\.\n$/);
    expect(statSync(store.path).size).toBe(content.length);
  });

  test('whose pages are overwritten causes 503 for requests that need them, never 500, and the server keeps running', async () => {
    await using store = await createStore();
    const first = await store.start();
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => first.add(`${batch}-${index}`.padEnd(200, '-'))));
    }
    await first.end('SIGTERM');
    damageAnimals(store.path);
    const server = await store.start();
    const responses = [await server.list(), await server.list('limit=1'), await server.list('limit=100&cursor=')];
    expect(responses.map(({ status }) => status)).toContain(503);
    for (const response of responses.filter(({ status }) => status === 503)) expectUnavailable(response);
    expect(responses.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(server.output()).toContain('malformed');
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

/** Writes zeros over every page of the table of animals. */
function damageAnimals(path: string): void {
  const database = new DatabaseSync(path);
  const pageSize = Number(database.prepare('PRAGMA page_size', { returnArrays: true }).get()?.[0]);
  const pages = database.prepare("SELECT pageno FROM dbstat WHERE name = 'pets'").all();
  database.close();
  const file = openSync(path, 'r+');
  for (const { pageno } of pages) writeSync(file, Buffer.alloc(pageSize), 0, pageSize, (Number(pageno) - 1) * pageSize);
  closeSync(file);
}

/**
 * Two stores run at the same time. Each is killed this many times: once after each number of responses that a round can
 * have.
 */
const KILLS = 10;
const AT_ONCE = 2 * KILLS;

type Acknowledged = { id: number; name: string };

test('a store that is killed 20 times while it writes keeps each acknowledged animal exactly once', async () => {
  await Promise.all([killAgainAndAgain(0), killAgainAndAgain(KILLS)]);
}, 170_000);

/** Kills the server of a store after `skipped + 1` responses, then after one more in each round. */
async function killAgainAndAgain(skipped: number): Promise<void> {
  await using store = await createStore();
  const acknowledged: Acknowledged[] = [];
  for (let round = 1; round <= KILLS; round += 1)
    acknowledged.push(...(await killWhileItWrites(store, round, skipped + round)));
  const server = await store.start();
  // Requests without a response are sent again, as a good client does. No pet may exist twice.
  for (let round = 1; round <= KILLS; round += 1) {
    for (const name of namesOf(round)) acknowledged.push(await send(server, name));
  }
  await server.end('SIGTERM');

  const database = new DatabaseSync(store.path, { readOnly: true });
  const rows = database.prepare('SELECT id, name FROM pets').all();
  const integrity = database.prepare('PRAGMA integrity_check').all();
  database.close();
  expect(integrity).toEqual([{ integrity_check: 'ok' }]);
  expect(rows).toHaveLength(KILLS * AT_ONCE);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(KILLS * AT_ONCE);
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]));
  expect(acknowledged.filter(({ id, name }) => nameOf.get(id) !== name)).toEqual([]);
}

/** Sends creations, and kills the server once `enough` of them are answered. */
async function killWhileItWrites(store: Store, round: number, enough: number): Promise<Acknowledged[]> {
  const server = await store.start();
  const acknowledged: Acknowledged[] = [];
  const sending = namesOf(round).map(async (name) => {
    const pet = await send(server, name).catch(() => undefined);
    if (pet !== undefined) acknowledged.push(pet);
    if (acknowledged.length === enough) server.child.kill('SIGKILL');
  });
  await Promise.all(sending);
  await server.end('SIGKILL');
  return acknowledged;
}

function namesOf(round: number): string[] {
  return Array.from({ length: AT_ONCE }, (_, index) => `pet-${round}-${index}`);
}

async function send(server: RunningStore, name: string): Promise<Acknowledged> {
  const { status, body } = await server.add(name, { headers: { 'idempotency-key': name } });
  expect(status).toBe(201);
  expect(body.name).toBe(name);
  return { id: body.id, name };
}
