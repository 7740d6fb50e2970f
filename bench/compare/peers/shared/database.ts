import { DatabaseSync } from 'node:sqlite';
import { type NewPet, type Pet, type PetStatus, type Plan, plans } from '@animal-store/contract';
import type { CountedKey } from '../../../server/internals.ts';

export type PetQuery = { limit: number; status?: PetStatus | undefined; after: number };

/** An API key, as far as rate limiting needs it. Times are Unix milliseconds. */
export type Key = CountedKey & { expiresAt: number };

const columns = 'id, name, category_id, status';

const sql = {
  list: `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${columns} FROM pets WHERE id = ?`,
  add: `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`,
  findKey: `SELECT keys.id, keys.plan, keys.per_minute, keys.per_day, keys.expires_at, secrets.expires_at
    FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = ? AND keys.revoked_at IS NULL`,
};

export type Database = ReturnType<typeof openDatabase>;

/**
 * The database of the peers, with the tables, indexes and durability of our server. All queries are synchronous, so one
 * connection is enough; a second one that writes would invalidate its cache. Reading rows as arrays takes half the time of
 * reading objects. Each pet is added in its own transaction, which is on disk when `add` returns.
 */
export function openDatabase(url = String(process.env['DATABASE_URL'])) {
  const path = url.slice('sqlite:'.length);
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5_000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000');
  const prepare = (text: string) => database.prepare(text, { returnArrays: true });
  const list = prepare(sql.list);
  const listByStatus = prepare(sql.listByStatus);
  const find = prepare(sql.find);
  const add = prepare(sql.add);
  const findKey = prepare(sql.findKey);

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
    close: () => database.close(),
  };
}

/** The cursor of the page after a pet. */
export function cursorAfter(id: number): string {
  return Buffer.from(`after:${id}`).toString('base64url');
}

/** The ID that a cursor names; undefined if `cursorAfter` did not make it. */
export function readCursor(cursor: string): number | undefined {
  const id = Number(Buffer.from(cursor, 'base64url').toString().slice('after:'.length));
  return Number.isSafeInteger(id) && cursorAfter(id) === cursor ? id : undefined;
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
    expiresAt: Math.min(Number(row[4] ?? Number.POSITIVE_INFINITY), Number(row[5] ?? Number.POSITIVE_INFINITY)),
  };
  return row[2] === null ? key : { ...key, perMinute: Number(row[2]), perDay: Number(row[3]) };
}

function planOf(value: unknown): Key['plan'] {
  if (isPlan(value)) return value;
  throw new Error(`Unknown plan: ${value}`);
}

function isPlan(value: unknown): value is Plan {
  return typeof value === 'string' && Object.hasOwn(plans, value);
}
