import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';

/** The rows of each table, as columns by name. */
export type Rows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/**
 * Tables that one engine alone has, or whose rows say how an engine works: `usage` and `counts` are compared as what they say about a
 * key.
 */
const leftOut = new Set(['migrations', 'usage', 'counts']);

/** All rows of a SQLite file that no server has open. */
export function sqliteRows(path: string): Rows {
  using database = new DatabaseSync(path, { readOnly: true });
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  const tables = names.map(({ name }) => String(name)).filter((name) => !leftOut.has(name));
  return new Map(tables.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]));
}

/** All rows of the schema that a client uses. */
export async function postgresRows(client: pg.Client): Promise<Rows> {
  const { rows: names } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  );
  const tables = new Map<string, Record<string, unknown>[]>();
  for (const { name } of names) {
    if (leftOut.has(name)) continue;
    const { rows } = await client.query<Record<string, unknown>>({ text: `SELECT * FROM ${name}`, types });
    tables.set(name, rows);
  }
  return tables;
}

const BIGINT = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (type) => (type === BIGINT ? Number : (value: unknown) => value),
};

/** Columns whose values are random, or that one engine alone has. */
const random = new Set(['hash', 'hint', 'position']);

/**
 * The rows as texts that are equal on both engines: without random values, with `key N` for the ID of a key, and without the origin
 * of the server.
 *
 * @param keyIds the IDs of the keys in the order of their creation
 */
export function normalized(
  rows: Rows,
  keyIds: readonly string[],
  isOmitted: (table: string) => boolean,
): Map<string, string[]> {
  const texts = [...rows]
    .filter(([table]) => !isOmitted(table))
    .map(([table, all]): [string, string[]] => [
      table,
      all.map((row) => withoutNames(rowText(table, row), keyIds)).sort(),
    ]);
  return new Map(texts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The order of changes is that of their times. */
function rowText(table: string, row: Readonly<Record<string, unknown>>): string {
  const columns = Object.entries(row).filter(
    ([name]) => !random.has(name) && !(table === 'key_audit' && name === 'id'),
  );
  return JSON.stringify(Object.fromEntries(columns.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** A text with `key N` for the ID of a key, and without the origin of the server. */
export function withoutNames(text: string, keyIds: readonly string[]): string {
  const named = keyIds.reduce((result, id, index) => result.replaceAll(id, `key ${index}`), text);
  return named.replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://server');
}
