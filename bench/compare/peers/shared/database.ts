import { type NewPet, type Pet, type PetStatus, type Plan, plans } from '@animal-store/contract';
import type { CountedKey } from '../../../server/internals.ts';
import type { MaybePromise } from './maybe-promise.ts';

export type PetQuery = { limit: number; status?: PetStatus | undefined; after: number };

/** An API key, as far as rate limiting needs it. Times are Unix milliseconds. */
export type Key = CountedKey & { expiresAt: number };

/** The database of a peer. SQLite answers at once, PostgreSQL with promises. */
export type Database = {
  list(query: PetQuery): MaybePromise<Pet[]>;
  find(id: number): MaybePromise<Pet | undefined>;
  /** The pet is on disk when this returns or resolves. */
  add(pet: NewPet): MaybePromise<Pet>;
  findKey(hash: Uint8Array): MaybePromise<Key | undefined>;
  close(): void;
};

const columns = 'id, name, category_id, status';

/** The statements of both engines. Each pet is added in its own transaction. */
export const sql = {
  list: `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${columns} FROM pets WHERE id = ?`,
  add: `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`,
  findKey: `SELECT keys.id, keys.plan, keys.per_minute, keys.per_day, keys.expires_at, secrets.expires_at
    FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = ? AND keys.revoked_at IS NULL`,
};

/** Opens the database that a URL names. The driver of the other engine is not loaded. */
export async function openDatabase(url = String(process.env['DATABASE_URL'])): Promise<Database> {
  if (url.startsWith('sqlite:')) return (await import('./sqlite.ts')).openSqlite(url);
  return (await import('./postgres.ts')).openPostgres(url);
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

export type Row = Readonly<Record<number, unknown>>;

export function toPet(row: Row): Pet {
  const [id, name, categoryId] = [Number(row[0]), String(row[1]), Number(row[2])];
  const status = row[3];
  return isStatus(status) ? { id, name, categoryId, status } : { id, name, categoryId };
}

function isStatus(value: unknown): value is PetStatus {
  return value === 'available' || value === 'pending' || value === 'sold';
}

export function toKey(row: Row): Key {
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
