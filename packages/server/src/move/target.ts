import type pg from 'pg';
import { connectPatiently, setUp } from '../storage/postgres/set-up.ts';
import { integer, type Row } from '../storage/values.ts';
import { type MovedTable, movedTables } from './tables.ts';

/** How far a move into a database is. */
export type MoveState = 'empty' | 'begun' | 'done' | 'other data';

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** A database of PostgreSQL that is up to date, to move another one into. */
export async function openTarget(databaseUrl: string) {
  await setUp(databaseUrl);
  const client = await connectPatiently(databaseUrl);
  const rows = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<unknown[]>({ text, values, rowMode: 'array' })).rows;

  return {
    /** Notes that the database of that identity is being moved here, unless something else is here. */
    begin: (identity: string) => begin(client, rows, identity),
    async end() {
      for (const { name, growsAtTheEnd } of movedTables) if (growsAtTheEnd) await goOnAfterLast(rows, name);
      await rows('ANALYZE');
      await rows('UPDATE move SET done = true');
    },
    last: async ({ name }: MovedTable) => integer((await rows(`SELECT coalesce(max(id), 0) FROM ${name}`))[0]?.[0]),
    count: async ({ name }: MovedTable) => integer((await rows(`SELECT count(*) FROM ${name}`))[0]?.[0]),
    counts: ({ name, countedBy = "''" }: MovedTable) =>
      rows(`SELECT ${countedBy}, count(*) FROM ${name} GROUP BY 1 ORDER BY 1 NULLS FIRST`),
    write: (table: MovedTable, batch: readonly Row[]) => write(client, table, batch),
    close: () => client.end(),
  };
}

type Ask = (text: string, values?: unknown[]) => Promise<Row[]>;

async function begin(client: pg.Client, rows: Ask, identity: string): Promise<MoveState> {
  // Two moves at once would each take the other's rows for its own.
  await client.query("SELECT pg_advisory_lock(hashtext('animal-store move'))");
  await client.query('CREATE TABLE IF NOT EXISTS move (source text NOT NULL, done boolean NOT NULL)');
  const [begun] = await rows('SELECT source, done FROM move');
  if (begun !== undefined) return begun[0] !== identity ? 'other data' : begun[1] === true ? 'done' : 'begun';
  for (const { name } of movedTables) {
    if ((await rows(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) {
      await client.query('DROP TABLE move');
      return 'other data';
    }
  }
  await rows('INSERT INTO move (source, done) VALUES ($1, false)', [identity]);
  return 'empty';
}

/** A batch in one statement: all of it is there, or nothing. */
async function write(client: pg.Client, table: MovedTable, batch: readonly Row[]): Promise<void> {
  const columns = Object.entries(table.columns);
  const names = columns.map(([name]) => name).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  const changes = columns.map(([name]) => `${name} = excluded.${name}`).join(', ');
  const conflict = table.growsAtTheEnd ? '' : `ON CONFLICT (${table.key}) DO UPDATE SET ${changes}`;
  await client.query(
    `INSERT INTO ${table.name} (${names}) SELECT ${names} FROM unnest(${arrays}) WITH ORDINALITY
      AS moved (${names}, place) ORDER BY place ${conflict}`,
    columns.map((_, index) => batch.map((row) => plain(row[index]))),
  );
}

/** Bytes of SQLite are of a class that the driver does not know inside of a list. */
function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** New rows get ids above those that came along. */
async function goOnAfterLast(rows: Ask, table: string): Promise<void> {
  await rows(
    `SELECT setval(pg_get_serial_sequence($1, 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) FROM ${table}`,
    [table],
  );
}
