import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { checksum, type Migration, migrationsOf } from '../../../../service/src/storage/migrations/migrations.ts';
import { connectForSetUp, migrate as migratePostgres } from '../../../../service/src/storage/postgres/set-up.ts';
import { migrate } from '../../../../service/src/storage/sqlite/connection.ts';
import { waitLong } from '../../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { openStorage, type Storage, storeDefinition } from './index.ts';

// These tests are not about timeouts.
waitLong();

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The migrations of 1.0.0, as it recorded them: in one stream, whose first file was split later. */
function migrationsOfRelease(engine: 'sqlite' | 'postgres', others: readonly string[]): Migration[] {
  const all = migrationsOf(engine, { ...storeDefinition, ...storeDefinition[engine] });
  const starts = all.filter(({ replaces }) => replaces !== undefined);
  return [...starts, ...all.filter(({ name }) => others.some((file) => name.endsWith(file)))];
}

/** Changes the history of a database to that of 1.0.0. */
function historyOfRelease(migrations: readonly Migration[]): string {
  const files = [...new Map(migrations.map((one) => [one.name.split('/').at(-1), one.replaces ?? checksum(one)]))];
  const rows = files.map(([file, sum], index) => `(${index + 1}, '${file}', '${sum}', 0)`);
  return `DELETE FROM migrations; ALTER TABLE migrations DROP COLUMN additive;
    INSERT INTO migrations (number, name, checksum, applied_at) VALUES ${rows.join(', ')}`;
}
const columns = 'key_id, idempotency_key, fingerprint, status, headers, body, kept_at';
const values = ['f', 201, '{"Location":"/v1/pets/1"}', '{"id":1}', 1_000];
const record = {
  fingerprint: 'f',
  status: 201,
  headers: { Location: '/v1/pets/1' },
  body: '{"id":1}',
  createdAt: 1_000,
};

const addKey = 'INSERT INTO keys (id, plan, created_at) VALUES';
const addSecrets = (bytes: 'BLOB' | 'bytea') =>
  `INSERT INTO secrets (hash, key_id, hint, created_at) SELECT CAST(id AS ${bytes}), id, id, 1 FROM keys`;
const scopesOfKeys = [
  ['key_0', 'write'],
  ['key_1', 'write'],
];

/** The stored response for an Idempotency-Key of key_1. */
function find(storage: Storage, idempotencyKey: string) {
  return storage.transaction((transaction) => transaction.findIdempotencyRecord('key_1', idempotencyKey, 0));
}

describe('a SQLite file of 1.0.0', () => {
  test('keeps its keys and idempotency records, and servers of 1.0.0 that still run read and write them', async () => {
    const path = join(folder, 'released.db');
    using released = new DatabaseSync(path);
    released.exec('PRAGMA journal_mode = WAL');
    const migrations = migrationsOfRelease('sqlite', ['0002-orders.sql']);
    migrate(released, migrations, 0);
    released.exec(historyOfRelease(migrations));
    const save = released.prepare(
      `INSERT OR REPLACE INTO kept_replies (${columns}) VALUES ('key_1', ?, ?, ?, ?, ?, ?)`,
    );
    const select = released.prepare(
      "SELECT body, kept_at FROM kept_replies WHERE key_id = 'key_1' AND idempotency_key = ? AND kept_at >= ?",
      { returnArrays: true },
    );
    save.run('before', ...values);
    released.exec(`${addKey} ('key_0', 'free', 0)`);

    const storage = await openStorage(`sqlite:${path}`);
    expect(await find(storage, 'before')).toEqual(record);
    released.exec(`${addKey} ('key_1', 'free', 1); ${addSecrets('BLOB')}`);
    expect((await storage.keys.list()).map(({ id, scope }) => [id, scope])).toEqual(scopesOfKeys);
    await storage.transaction((transaction) => transaction.saveIdempotencyRecord('key_1', 'new', record));
    expect(Object.values(select.get('new', 0) ?? {})).toEqual(['{"id":1}', 1_000]);
    save.run('old', ...values);
    save.run('old', ...values.with(-1, 2_000));
    expect(await find(storage, 'old')).toEqual({ ...record, createdAt: 2_000 });
    await storage.close();
  });

  test('keeps its pets and orders; new ones get higher IDs, even if a server of 1.0.0 adds them', async () => {
    const path = join(folder, 'ids.db');
    using released = new DatabaseSync(path);
    released.exec('PRAGMA journal_mode = WAL');
    const migrations = migrationsOfRelease('sqlite', ['0002-orders.sql']);
    migrate(released, migrations, 0);
    released.exec(historyOfRelease(migrations));
    released.exec(`INSERT INTO pets VALUES (3, 'Rex', -7, NULL), (9, 'Mia', 1, 'sold'), (12, 'Ada', 1, 'sold');
      INSERT INTO orders VALUES (5, 'key_1', 9, 'completed', 1000), (7, 'key_1', 12, 'completed', 2000);
      PRAGMA foreign_keys = OFF; DELETE FROM pets WHERE id = 12; PRAGMA foreign_keys = ON`);
    const addPet = released.prepare("INSERT INTO pets (name, category_id, status) VALUES ('Old', 1, NULL)");

    const storage = await openStorage(`sqlite:${path}`);
    expect(await storage.reader.listPets({ limit: 5 })).toEqual([
      { id: 3, name: 'Rex', categoryId: -7 },
      { id: 9, name: 'Mia', categoryId: 1, status: 'sold' },
    ]);
    expect(await storage.reader.listOrders({ keyId: 'key_1', limit: 5 })).toEqual([
      {
        id: 5,
        petId: 9,
        status: 'completed',
        createdAt: '1970-01-01T00:00:01.000Z',
        expiresAt: '1970-01-02T00:00:01.000Z',
      },
      {
        id: 7,
        petId: 12,
        status: 'completed',
        createdAt: '1970-01-01T00:00:02.000Z',
        expiresAt: '1970-01-02T00:00:02.000Z',
      },
    ]);
    const order = await storage.transaction(async (transaction) => {
      const pet = await transaction.addPet({ name: 'New', categoryId: 1 });
      return transaction.addOrder({ keyId: 'key_1', petId: pet.id, createdAt: 3_000 });
    });
    expect([order.petId, order.id]).toEqual([13, 8]);
    expect(Number(addPet.run().lastInsertRowid)).toBe(14);
    const lax = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite%'";
    expect(released.prepare(`${lax} AND type = 'table'`).all()).toEqual([]);
    await storage.close();
  });
});

describeOnPostgres('a PostgreSQL of 1.0.0', (postgres) => {
  test('keeps its keys and idempotency records, and servers of 1.0.0 that still run read and write them', async () => {
    const url = await postgres.freshUrl();
    const released = await connectForSetUp(url, 'service');
    const migrations = migrationsOfRelease('postgres', ['0002-counts.sql']);
    await migratePostgres(released, migrations, 0);
    await released.query(historyOfRelease(migrations));
    const save = (idempotencyKey: string, keptAt: number) =>
      released.query({
        name: 'save',
        text: `INSERT INTO kept_replies (${columns}) VALUES ('key_1', $1, $2, $3, $4, $5, $6)
          ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint,
          status = excluded.status, headers = excluded.headers, body = excluded.body, kept_at = excluded.kept_at`,
        values: [idempotencyKey, ...values.with(-1, keptAt)],
      });
    const select = (idempotencyKey: string) =>
      released.query({
        name: 'find',
        text: "SELECT body, kept_at FROM kept_replies WHERE key_id = 'key_1' AND idempotency_key = $1",
        values: [idempotencyKey],
      });
    await save('before', 1_000);
    await released.query(`${addKey} ('key_0', 'free', 0)`);
    await select('before');

    const storage = await openStorage(url);
    expect(await find(storage, 'before')).toEqual(record);
    await released.query(`${addKey} ('key_1', 'free', 1); ${addSecrets('bytea')}`);
    expect((await storage.keys.list()).map(({ id, scope }) => [id, scope])).toEqual(scopesOfKeys);
    await storage.transaction((transaction) => transaction.saveIdempotencyRecord('key_1', 'new', record));
    expect((await select('new')).rows).toEqual([{ body: '{"id":1}', kept_at: 1_000 }]);
    await save('old', 1_000);
    await save('old', 2_000);
    expect(await find(storage, 'old')).toEqual({ ...record, createdAt: 2_000 });
    await storage.close();
    await released.end();
  });
});
