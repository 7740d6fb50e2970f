import { DatabaseSync } from 'node:sqlite';
import type { NewPet, Pet, PetStatus } from '@animal-store/contract';
import type { CountedKey } from '../../../../packages/server/src/quota/usage.ts';
import { dayOf, emptyUsage, type Usage } from '../../../../packages/server/src/quota/usage.ts';

export type PetQuery = { limit: number; status: PetStatus | undefined; after: number };

/** A key as it is needed for counting. */
export type Key = CountedKey & { validUntil: number };

const columns = 'id, name, category_id, status';

const sql = {
  list: `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${columns} FROM pets WHERE id = ?`,
  add: `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`,
  findKey: `SELECT keys.id, keys.plan, keys.per_minute, keys.per_day, keys.expires_at, secrets.expires_at
    FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = ? AND keys.revoked_at IS NULL`,
  loadUsage: 'SELECT key_id, minute, minute_used, day, day_used, bans, banned_until FROM usage WHERE day >= ?',
  saveUsage: `INSERT OR REPLACE INTO usage (key_id, minute, minute_used, day, day_used, bans, banned_until)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};

export type Database = ReturnType<typeof openDatabase>;

/**
 * The database of the peers: the file, tables, indexes and durability of our server. One connection, since everything is
 * asked synchronously: another connection that writes would make it forget its cache. Rows are read as arrays, which takes
 * half the time of objects. Each animal is added in a transaction of its own, on disk when `add` returns.
 */
export function openDatabase(path: string) {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5_000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000');
  const prepare = (text: string) => database.prepare(text, { returnArrays: true });
  const list = prepare(sql.list);
  const listByStatus = prepare(sql.listByStatus);
  const find = prepare(sql.find);
  const add = prepare(sql.add);
  const findKey = prepare(sql.findKey);
  const saveUsage = prepare(sql.saveUsage);

  return {
    list({ limit, status, after }: PetQuery): Pet[] {
      const rows = status === undefined ? list.all(after, limit) : listByStatus.all(status, after, limit);
      return rows.map(toPet);
    },
    find(id: number): Pet | undefined {
      const row = find.get(id);
      return row && toPet(row);
    },
    add({ name, categoryId, status }: NewPet): Pet {
      return toPet(add.get(name, categoryId, status ?? null) ?? {});
    },
    findKey(hash: Uint8Array): Key | undefined {
      const row = findKey.get(hash);
      return row && toKey(row);
    },
    loadUsage(now: number): Map<string, Usage> {
      const rows: Row[] = prepare(sql.loadUsage).all(dayOf(now));
      return new Map(rows.map((row) => [String(row[0]), toUsage(row, now)]));
    },
    saveUsage(records: Iterable<[keyId: string, usage: Usage]>): void {
      database.exec('BEGIN IMMEDIATE');
      for (const [id, { minute, minuteUsed, day, dayUsed, bans, bannedUntil }] of records) {
        saveUsage.run(id, minute, minuteUsed, day, dayUsed, bans, bannedUntil);
      }
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}

type Row = Readonly<Record<number, unknown>>;

function toPet(row: Row): Pet {
  const [id, name, categoryId] = [Number(row[0]), String(row[1]), Number(row[2])];
  const status = row[3];
  return isStatus(status) ? { id, name, categoryId, status } : { id, name, categoryId };
}

function isStatus(value: unknown): value is PetStatus {
  return value === 'available' || value === 'pending' || value === 'sold';
}

function toKey(row: Row): Key {
  const key: Key = {
    id: String(row[0]),
    plan: planOf(row[1]),
    validUntil: Math.min(Number(row[4] ?? Number.POSITIVE_INFINITY), Number(row[5] ?? Number.POSITIVE_INFINITY)),
  };
  return row[2] === null ? key : { ...key, perMinute: Number(row[2]), perDay: Number(row[3]) };
}

function planOf(value: unknown): Key['plan'] {
  if (value === 'free' || value === 'pro' || value === 'business' || value === 'enterprise') return value;
  throw new Error(`There is no plan ${value}.`);
}

function toUsage(row: Row, now: number): Usage {
  const [minute, minuteUsed, day] = [Number(row[1]), Number(row[2]), Number(row[3])];
  const [dayUsed, bans, bannedUntil] = [Number(row[4]), Number(row[5]), Number(row[6])];
  return { ...emptyUsage(now), minute, minuteUsed, day, dayUsed, bans, bannedUntil };
}
