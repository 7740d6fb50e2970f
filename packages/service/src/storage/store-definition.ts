import type { DatabaseSync } from 'node:sqlite';
import type { Row } from './rows.ts';
import type { StoreTypes } from './storage.ts';

/**
 * The store of the operations, for each engine. `migrations` is a folder of files such as `0001-start.sql`. The database keeps `name` with
 * each of them, so that no other API uses it.
 */
export type StoreDefinition<Store extends StoreTypes> = {
  name: string;
  /** `onOpen` is called with each new connection. */
  sqlite: { migrations: URL; onOpen?: (database: DatabaseSync) => void } & EngineStore<Store>;
  postgres: { migrations: URL } & EngineStore<Store>;
};

export type EngineStore<Store extends StoreTypes> = {
  reader: (send: Send) => Store['reader'];
  /** On PostgreSQL, the writer locks the rows that it finds by ID (`FOR NO KEY UPDATE`) until the transaction ends. */
  writer: (send: Send) => Store['writer'];
};

/** Runs SQLite statements, only while the caller may use the connection. Translates their errors. */
export type Run = <Result>(statements: () => Result) => Promise<Result>;

/**
 * Sends a statement to the database, on any connection or on that of a transaction. Translates the errors of the engine.
 * `timeoutMs` overrides the default timeout for the answer of PostgreSQL.
 */
export type Send = (statement: Statement, values?: readonly Value[], timeoutMs?: number) => Promise<Answer>;

/** The value of a parameter. A list is an array for PostgreSQL, and JSON for SQLite, which reads it with `json_each`. */
export type Value = SqlValue | readonly unknown[];
export type SqlValue = string | number | Uint8Array | null;

/** SQL that each connection prepares once, under its name. Its parameters are `$1`, `$2` and so on, for both engines. */
export type Statement = { name: string; text: string };

/** The rows found, and the number of rows found or changed. */
export type Answer = { rows: readonly Row[]; count: number };

/** Statements by name. The name of the table comes first, because prepared names must be unique on a connection. */
export function statements<Texts extends { readonly [Name in keyof Texts]?: string }>(
  table: string,
  texts: Texts,
): { readonly [Name in keyof Texts]: Statement };
export function statements(table: string, texts: Record<string, string>): Record<string, Statement> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { name: `${table}.${name}`, text }]));
}
