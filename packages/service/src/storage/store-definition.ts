import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row } from './rows.ts';
import type { StoreTypes } from './storage.ts';

/**
 * The store of the operations, for each engine. `migrations` is a folder of files such as `0001-start.sql`. The database keeps `name` with
 * each of them, so that no other API uses it.
 */
export type StoreDefinition<Store extends StoreTypes> = {
  name: string;
  sqlite: { migrations: URL; prepare: PrepareSqliteStore<Store> };
  postgres: { migrations: URL } & PostgresStore<Store>;
};

export type PrepareSqliteStore<Store extends StoreTypes> = (database: DatabaseSync) => {
  reader: (run: Run) => Store['reader'];
  writer: (run: Run) => Store['writer'];
};

/** Prepares statements of SQLite, which return rows as arrays. */
export function prepareAll<Name extends string>(
  database: DatabaseSync,
  texts: Record<Name, string>,
): Record<Name, StatementSync>;
export function prepareAll(database: DatabaseSync, texts: Record<string, string>): Record<string, StatementSync> {
  const prepared = Object.entries(texts).map(([name, text]) => [name, database.prepare(text, { returnArrays: true })]);
  return Object.fromEntries(prepared);
}

/** Runs SQLite statements, only while the caller may use the connection. Translates their errors. */
export type Run = <Result>(statements: () => Result) => Promise<Result>;

export type PostgresStore<Store extends StoreTypes> = {
  reader: (send: Send) => Store['reader'];
  /** The writer locks the rows that it finds by ID (`FOR NO KEY UPDATE`) until the transaction ends. */
  writer: (send: Send) => Store['writer'];
};

/**
 * Sends a statement to PostgreSQL, on any connection or on that of a transaction. Translates the errors of the engine.
 * `timeoutMs` overrides the default timeout for the answer.
 */
export type Send = (statement: Statement, values?: readonly unknown[], timeoutMs?: number) => Promise<Answer>;

/** SQL that each connection prepares once, under its name. */
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
