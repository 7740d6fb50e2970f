import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { types } from '../../../../../service/src/storage/postgres/connection.ts';
import type { Send } from '../../../../../service/src/storage/store-definition.ts';

/**
 * What the statements of a request cost: rows read from tables and indexes, whether or not a filter then drops them, and pages of
 * 8 KiB, which only PostgreSQL counts.
 */
export type Examined = { rows: number; pages: number };

/**
 * A connection to a SQLite database that counts the rows that its queries examine. A view in front of each table with an ID calls a
 * function for each row that SQLite reaches, before any filter that its index does not answer.
 */
export class CountingDatabase extends DatabaseSync {
  readonly examined: Examined = { rows: 0, pages: 0 };
  readonly #plain: DatabaseSync;

  constructor(path: string) {
    super(path);
    this.#plain = new DatabaseSync(path);
    // `varargs`, because node:sqlite would take the number of arguments from the function.
    this.function('count_row', { varargs: true }, () => {
      this.examined.rows += 1;
      return 1;
    });
    const tables = this.#plain.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND sql NOT LIKE '%WITHOUT ROWID%'",
    );
    for (const { name } of tables.all()) {
      this.exec(`CREATE TEMP VIEW ${name} AS SELECT * FROM main.${name} WHERE count_row(rowid)`);
    }
  }

  /** Statements that write are prepared on a plain connection, because a view takes no writes. */
  override prepare(...[sql, options]: Parameters<DatabaseSync['prepare']>) {
    if (/^SELECT\b/.test(sql)) return super.prepare(sql, options);
    return this.#plain.prepare(sql, options);
  }

  override close(): void {
    this.#plain.close();
    super.close();
  }
}

/** Whether PostgreSQL plans a statement for its values, or once for all values. It chooses by itself after five executions. */
export const planModes = ['force_custom_plan', 'force_generic_plan'] as const;

type Plan = Readonly<Record<string, unknown>> & { Plans?: readonly Plan[] };

/** A connection to PostgreSQL that counts what its queries examine, and the function that sends them. */
export async function countOnPostgres(url: string, mode: (typeof planModes)[number]) {
  const client = new pg.Client({ connectionString: url, types });
  await client.connect();
  await client.query(`SET plan_cache_mode = ${mode}`);
  const examined: Examined = { rows: 0, pages: 0 };
  const prepared = new Set<string>();
  const send: Send = async ({ name, text }, values = []) => {
    const statement = client.escapeIdentifier(name);
    if (!prepared.has(name)) await client.query(`PREPARE ${statement} AS ${text}`);
    prepared.add(name);
    const literals = values.map((value) => client.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value)));
    const call = `EXECUTE ${statement}${literals.length === 0 ? '' : `(${literals.join(', ')})`}`;
    const { rows: explained } = await client.query<[[{ Plan: Plan }]]>({
      text: `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${call}`,
      rowMode: 'array',
    });
    for (const [[{ Plan: plan }]] of explained) {
      examined.rows += rowsOf(plan);
      examined.pages += number(plan['Shared Hit Blocks']) + number(plan['Shared Read Blocks']);
    }
    const { rows, rowCount } = await client.query<unknown[]>({ text: call, rowMode: 'array' });
    return { rows, count: rowCount ?? 0 };
  };
  return { examined, send, close: () => client.end() };
}

/** The rows that the scans of a plan read, dropped ones included. */
function rowsOf(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0);
  // A function returns the values that were asked for.
  if (!/(?<!Function )Scan$/.test(String(plan['Node Type']))) return below;
  const dropped = number(plan['Rows Removed by Filter']) + number(plan['Rows Removed by Index Recheck']);
  return below + (number(plan['Actual Rows']) + dropped) * number(plan['Actual Loops']);
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
