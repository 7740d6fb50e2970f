import type { Row } from '../../values.ts';

/** SQL that each connection prepares once, under its name. */
export type Statement = { name: string; text: string };

/**
 * Sends a statement to the engine; which connection takes it depends on who asks.
 * `timeoutMs` is how long to wait for the answer, in milliseconds, where it is not the usual time.
 */
export type Send = (statement: Statement, values?: readonly unknown[], timeoutMs?: number) => Promise<Answer>;

/** What the engine answers: rows, and how many rows were changed. */
export type Answer = { rows: readonly Row[]; count: number };

/** Statements by their names, with the name of the table before each: prepared names must differ. */
export function statements<Name extends string>(table: string, texts: Record<Name, string>): Record<Name, Statement>;
export function statements(table: string, texts: Record<string, string>): Record<string, Statement> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { name: `${table}.${name}`, text }]));
}
