import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { contract } from '@animal-store/contract/service';
import { describe, expect, test } from '@jest/globals';
import { createKeyRing } from '../../../../service/src/keys/key-ring.ts';
import type { KeyWithSecrets } from '../../../../service/src/storage/storage.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { startProxy } from '../../../../testing/src/postgres/proxy.ts';
import { PASSWORD } from '../../../../testing/src/postgres/server.ts';
import { openStorage } from '../../../src/operations/storage/index.ts';
import { startTestServer } from '../../harness.ts';
import { folder, runMove } from './cli-fixture.ts';

const ANIMALS = 60_000;
const now = Date.now();
let count = 0;

/** An embedded database with rows in every table. */
async function fullDatabase(animals = 10) {
  count += 1;
  const path = join(folder, `${count}.db`);
  const storage = await openStorage(`sqlite:${path}`);
  await storage.keys.claimMode('test');
  const keys = createKeyRing(storage.keys, contract, () => now, 'test');
  const { key, secret } = await keys.create({ plan: 'business', scope: 'read', name: 'Zoo 🐈' });
  await keys.rotate(key.id, 3_600_000);
  await storage.usage.save([
    { keyId: key.id, minute: 1, minuteUsed: 2, day: 3, dayUsed: 4, bans: 1, bannedUntil: now + 30_000 },
  ]);
  await storage.transaction(async (transaction) => {
    const response = {
      fingerprint: 'f',
      status: 201,
      headers: { Location: '/x' },
      body: '{"a":"\\u0000"}',
      createdAt: now,
    };
    await transaction.saveIdempotencyRecord(key.id, 'once', response);
  });
  await storage.close();
  const database = new DatabaseSync(path);
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
    INSERT INTO pets (id, name, category_id, status) SELECT i * 2, 'Rex ' || i, i, iif(i % 3 = 0, NULL, iif(i % 3 = 1, 'available', 'sold')) FROM n;
    INSERT INTO jobs (name, due_at) VALUES ('cleanUp', ${now});
    INSERT INTO key_activity (key_id, operation, calls, last_called_at) VALUES ('${key.id}', 'getPet', 5, ${now});
    INSERT INTO key_audit (key_id, created_at, actor, action, details) VALUES ('${key.id}', 1, 'ann@desk', 'create', '{}');
    INSERT INTO key_days (key_id, day, calls) VALUES ('${key.id}', 20000, 5);
    INSERT INTO orders (id, key_id, pet_id, status, created_at) SELECT id, '${key.id}', id, 'completed', ${now} FROM pets WHERE id <= 2000`);
  for (const table of tablesIn(database)) if (rowsIn(database, table) === 0) addRow(database, table);
  database.close();
  return { path, url: `sqlite:${path}`, keyId: key.id, secret };
}

/** The tables whose rows are moved. */
function tablesIn(database: DatabaseSync): string[] {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'");
  return tables.all().map(({ name }) => String(name));
}

function rowsIn(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows']);
}

/** Only tables with rows show that they are moved, so one that no statement names gets a row by its columns. */
function addRow(database: DatabaseSync, table: string): void {
  const columns = database.prepare('SELECT name, type FROM pragma_table_info(?)').all(table);
  const values = columns.map(({ type }) => (type === 'BLOB' ? "x'00ff'" : type === 'TEXT' ? "'text'" : '1'));
  database.exec(`INSERT INTO ${table} (${columns.map(({ name }) => name)}) VALUES (${values})`);
}

/** Keys with hashes as plain Uint8Arrays, so that the engines' results can be compared. */
function plain(keys: KeyWithSecrets[]) {
  const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
  return keys.map((key) => ({ ...key, secrets: key.secrets.map((secret) => ({ ...secret, hash: hex(secret.hash) })) }));
}

describeOnPostgres('move', (postgres) => {
  const queryIn = (url: string, sql: string) => {
    const schema = decodeURIComponent(new URL(url).search).split('=').at(-1);
    return postgres.query(`SET search_path TO ${schema}; ${sql}`);
  };
  const countAnimals = async (url: string) => Number((await queryIn(url, 'SELECT count(*) FROM pets'))[0]?.[0]);

  /** Kills the command after the keys are moved. The connection is slow, so that the animals are not moved yet. */
  async function killInTheMiddle(from: string, to: string): Promise<void> {
    // Over the slow connection the migrations alone would take 3 seconds.
    await (await openStorage(to)).close();
    const proxy = await startProxy(postgres.port);
    proxy.set({ kind: 'slow', delay: 100 });
    const slow = new URL(to);
    slow.port = `${proxy.port}`;
    const killed = await runMove(['--from', from, '--to', slow.href], (note) => /keys: [1-9]/.test(note));
    await proxy.stop();
    expect(killed.code).toBeNull();
  }

  test('that is killed in the middle leaves nothing, and moves everything when it runs again', async () => {
    const { url: from, path, keyId, secret } = await fullDatabase(ANIMALS);
    copyFileSync(path, `${path}.copy`);
    const to = await postgres.freshUrl();
    await killInTheMiddle(from, to);
    expect([await countAnimals(to), await queryIn(to, 'SELECT id FROM keys')]).toEqual([0, []]);
    const moved = await runMove(['--from', from, '--to', to]);
    expect(moved).toMatchObject({ code: 0, out: expect.stringContaining('The source is now read-only') });
    expect(moved.note).toContain('pets: 60,000 rows');
    using copy = new DatabaseSync(`${path}.copy`);
    for (const table of tablesIn(copy).filter((name) => name !== 'migrations')) {
      const [[rows] = []] = await queryIn(to, `SELECT count(*) FROM ${table}`);
      expect([table, Number(rows)]).toEqual([table, rowsIn(copy, table)]);
    }

    const [source, target] = [await openStorage(`sqlite:${path}.copy`), await openStorage(to)];
    for (const after of [0, 40_000, 119_990]) {
      const page = { limit: 100, after };
      expect(await target.reader.listPets(page)).toEqual(await source.reader.listPets(page));
    }
    expect(await countAnimals(to)).toBe(ANIMALS);
    const orders = { keyId, limit: 5_000 };
    expect(await target.reader.listOrders(orders)).toEqual(await source.reader.listOrders(orders));
    expect(plain(await target.keys.list())).toEqual(plain(await source.keys.list()));
    expect(await target.usage.load(3, 0)).toEqual(await source.usage.load(3, 0));
    expect(await target.usage.find(keyId)).toEqual(await source.usage.find(keyId));
    expect(await queryIn(to, 'SELECT operation, calls::int FROM key_activity')).toEqual([['getPet', 5]]);
    const response = (storage: typeof source) =>
      storage.transaction((transaction) => transaction.findIdempotencyRecord(keyId, 'once', 0));
    expect(await response(target)).toEqual(await response(source));
    expect((await createKeyRing(target.keys, contract, () => now, 'test').verify(secret, now))?.id).toBe(keyId);
    const pet = await target.transaction((transaction) => transaction.addPet({ name: 'New', categoryId: 1 }));
    expect(pet.id).toBe(ANIMALS * 2 + 1);
    await Promise.all([source.close(), target.close()]);

    const again = await runMove(['--from', from, '--to', to]);
    expect(again).toMatchObject({ code: 1, note: expect.stringContaining('The source was already moved to') });
  });

  test('moves animals, keys and bans so that a server on the target uses them', async () => {
    const { url: from, secret } = await fullDatabase();
    const to = await postgres.freshUrl();
    expect((await runMove(['--from', from, '--to', to])).code).toBe(0);
    await using server = await startTestServer({ databaseUrl: to, now });
    const response = await server.call('getPet', { path: { petId: 4 } });
    expect(response.body).toMatchObject({ id: 4, name: 'Rex 2', categoryId: 2, status: 'sold' });
    const banned = await server.call('getPet', { path: { petId: 4 }, key: secret });
    expect([banned.status, banned.body.code]).toEqual([429, 'key_banned']);
    server.clock.now += 30_001;
    expect((await server.call('getPet', { path: { petId: 4 }, key: secret })).status).toBe(200);
  });

  test('moves tables and columns that its code does not name', async () => {
    const { url: from, path } = await fullDatabase();
    const database = new DatabaseSync(path);
    database.exec(`ALTER TABLE pets ADD COLUMN weight REAL; UPDATE pets SET weight = id + 0.5 WHERE id < 10;
      CREATE TABLE visits (day TEXT, pet_id INTEGER, photo BLOB, is_paid INTEGER, PRIMARY KEY (pet_id, day)) STRICT;
      INSERT INTO visits VALUES ('2026-12-01', 4, x'00ff', 1), ('2026-12-01', 2, NULL, 0)`);
    database.close();
    const to = await postgres.freshUrl();
    await (await openStorage(to)).close();
    await queryIn(
      to,
      `ALTER TABLE pets ADD COLUMN weight double precision;
       CREATE TABLE visits (pet_id bigint, day date, photo bytea, is_paid boolean, PRIMARY KEY (pet_id, day))`,
    );
    expect(await runMove(['--from', from, '--to', to])).toMatchObject({ code: 0 });
    expect(await queryIn(to, 'SELECT id::int, weight FROM pets WHERE weight IS NOT NULL ORDER BY id')).toEqual(
      [2, 4, 6, 8].map((id) => [id, id + 0.5]),
    );
    expect(
      await queryIn(to, "SELECT pet_id::int, day::text, encode(photo, 'hex'), is_paid FROM visits ORDER BY 1"),
    ).toEqual([
      [2, '2026-12-01', null, false],
      [4, '2026-12-01', '00ff', true],
    ]);
  });

  test.each([
    ['a table', 'CREATE TABLE visits (day TEXT PRIMARY KEY)', '', 'visits.day is missing in PostgreSQL'],
    ['a column', '', 'ALTER TABLE keys ADD colour text', 'keys.colour is missing in SQLite'],
  ])('refuses to move if one database lacks %s', async (_, here, there, problem) => {
    const { url: from, path } = await fullDatabase();
    const database = new DatabaseSync(path);
    database.exec(here);
    database.close();
    const to = await postgres.freshUrl();
    await (await openStorage(to)).close();
    await queryIn(to, there);
    const note = `The tables of the two databases differ: ${problem}. Nothing was moved. Add a migration that makes them equal.\n`;
    const refused = await runMove(['--from', from, '--to', to]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.note.split('\n').slice(1).join('\n')).toBe(note);
    expect(await countAnimals(to)).toBe(0);
  });

  test('refuses a target with other data, and does not change it', async () => {
    const { url: from } = await fullDatabase();
    const to = await postgres.freshUrl();
    const storage = await openStorage(to);
    await storage.transaction((transaction) => transaction.addPet({ name: 'Mia', categoryId: 1 }));
    const refused = await runMove(['--from', from, '--to', to]);
    expect(refused).toMatchObject({ code: 1, out: '', note: expect.stringContaining('already contains other data') });
    expect(await storage.reader.listPets({ limit: 5 })).toHaveLength(1);
    await storage.close();
  });

  test('seals its source: a server that runs on it gets 503, and none starts on it, with the target in a sentence', async () => {
    const { url: from } = await fullDatabase();
    const to = await postgres.freshUrl();
    await using server = await startTestServer({ databaseUrl: from, now });
    const key = await server.createKey('pro');
    const create = () => server.call('createPet', { body: { name: 'Late', categoryId: 1 }, key });
    expect((await create()).status).toBe(201);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await runMove(['--from', from, '--to', to])).toMatchObject({ code: 0 });
    expect(await create()).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('the database was moved')]);
    expect(await countAnimals(to)).toBe(11);
    const place = `postgres://127.0.0.1:${postgres.port}/postgres`;
    await expect(openStorage(from)).rejects.toThrow(`The database was moved to ${place} and takes no more writes.`);
    const elsewhere = await runMove(['--from', from, '--to', await postgres.freshUrl()]);
    expect(elsewhere).toMatchObject({ code: 1, note: expect.stringContaining(`was already moved to ${place}`) });
  });

  test('does not repeat a password', async () => {
    const { url: from } = await fullDatabase();
    const to = postgres.urlOf('nowhere');
    const { code, note } = await runMove(['--from', from, '--to', to]);
    expect([code, note]).toEqual([1, expect.stringContaining('the server has no such database')]);
    expect(note).not.toContain(encodeURIComponent(PASSWORD));
  });
});

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
