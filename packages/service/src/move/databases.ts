/** The two ends of a move: an embedded database, and the PostgreSQL that takes its rows. */
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { connectForSetUp, setUp } from '../storage/postgres/set-up.ts';
import { integer, type Row, text } from '../storage/rows.ts';
import { LOCK_TIMEOUT, movedMessage, movedTo } from '../storage/sqlite/connection.ts';
import type { StoreTypes } from '../storage/storage.ts';
import type { StoreDefinition } from '../storage/store-definition.ts';

/** The most bytes of values in one statement, so that large rows do not exceed the longest text. */
const MAX_BATCH_BYTES = 8_000_000;

/** Rows that a checksum reads at once. */
const FETCHED = 10_000;

/** A table of the embedded database. Every table is moved but the history of migrations and the seal. */
export type MovedTable = {
  name: string;
  columns: readonly string[];
  /** The columns of the primary key. */
  key: string;
  /**
   * Whether new rows get ascending IDs, so that a move can continue after the last one. The other tables are small: a move
   * starts again from their first row, and each row replaces the existing one.
   */
  hasAscendingIds: boolean;
  /** The highest ID that was ever used, even if its row was deleted; 0 if the table does not remember it. */
  highestId: number;
  /** The order in which the rows were added, if the table keeps it. */
  order: string;
};

export type Source = ReturnType<typeof openSource>;

/** Opens an embedded database that is up to date. While it is open no other process writes to it, so no row is missed. */
export function openSource(path: string) {
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  database.exec('BEGIN IMMEDIATE');
  const rows = (sql: string, ...values: string[]): Row[] =>
    database.prepare(sql, { returnArrays: true }).all(...values);

  return {
    /** Distinguishes this database from all others: the time at which it was created. */
    identity: () => String(rows('SELECT applied_at FROM migrations WHERE number = 1')[0]?.[0]),
    /** In the order of their creation, so that a table follows those that it refers to; growing ones first. */
    tables(): MovedTable[] {
      const found = rows(`SELECT name, wr FROM sqlite_schema JOIN pragma_table_list USING (type, name)
        WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite%' AND name NOT IN ('migrations', 'moved')
        ORDER BY sqlite_schema.rowid`);
      const tables = found.map((row) => {
        const name = text(row[0]);
        const columns = rows('SELECT name, type, pk FROM pragma_table_info(?)', name);
        const highestId = integer(rows('SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = ?', name)[0]?.[0]);
        return { ...describeTable(name, row[1] === 1, columns), highestId };
      });
      return tables.sort((a, b) => Number(b.hasAscendingIds) - Number(a.hasAscendingIds));
    },
    count: ({ name }: MovedTable) => integer(rows(`SELECT count(*) FROM ${name}`)[0]?.[0]),
    /** The rows in batches; only those after an ID if the table has ascending ones. */
    *batches({ name, columns, hasAscendingIds, order }: MovedTable, after: number, size: number): Generator<Row[]> {
      const where = hasAscendingIds ? 'WHERE id > ?' : '';
      const sql = `SELECT ${columns.join(', ')} FROM ${name} ${where} ${order}`;
      const select = database.prepare(sql, { returnArrays: true });
      let batch: Row[] = [];
      let bytes = 0;
      for (const row of hasAscendingIds ? select.iterate(after) : select.iterate()) {
        const values = Object.values(row);
        batch.push(values);
        for (const value of values)
          bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
        if (batch.length < size && bytes < MAX_BATCH_BYTES) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
      if (batch.length > 0) yield batch;
    },
    checksum({ name, columns }: MovedTable): string {
      const sum = new RowChecksum();
      const select = database.prepare(`SELECT ${columns.join(', ')} FROM ${name}`, { returnArrays: true });
      for (const row of select.iterate()) sum.add(Object.values(row));
      return sum.value;
    },
    /** The target of an earlier move that was complete. */
    movedTo: () => movedTo(database),
    /**
     * Lets the file refuse every later write, also of servers that have it open and of older versions: triggers raise an error
     * that names the target. Ends the transaction, so that not a single write fits in between.
     */
    seal(tables: readonly MovedTable[], target: string): void {
      const reason = movedMessage(target).replaceAll("'", "''");
      database.exec('CREATE TABLE moved (target TEXT NOT NULL, moved_at INTEGER NOT NULL) STRICT');
      database.prepare('INSERT INTO moved (target, moved_at) VALUES (?, ?)').run(target, Date.now());
      for (const { name } of tables) {
        for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
          database.exec(`CREATE TRIGGER moved_${name}_${change.toLowerCase()} BEFORE ${change} ON ${name}
            BEGIN SELECT RAISE(ABORT, '${reason}'); END`);
        }
      }
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}

/** Types whose values the drivers return as the embedded database has them; others, such as dates, are compared as text. */
const comparable = ['bigint', 'integer', 'double precision', 'boolean', 'bytea', 'text'];

function asCompared(column: string, type = 'text'): string {
  return comparable.includes(type) ? column : `${column}::text`;
}

/** A checksum of rows in any order, the same for both engines. */
class RowChecksum {
  #sum = 0n;

  add(row: readonly unknown[]): void {
    const values = row.map((value) => {
      if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
      return typeof value === 'boolean' ? Number(value) : value;
    });
    const digest = createHash('sha256').update(JSON.stringify(values)).digest();
    this.#sum = BigInt.asUintN(64, this.#sum + digest.readBigUInt64BE());
  }

  get value(): string {
    return this.#sum.toString(16);
  }
}

/** @param columns name, type, and place in the primary key or 0 */
function describeTable(name: string, withoutRowid: boolean, columns: readonly Row[]): Omit<MovedTable, 'highestId'> {
  const key = columns.filter((column) => column[2] !== 0).map((column) => text(column[0]));
  const hasAscendingIds = columns.some((column) => column[0] === 'id' && column[1] === 'INTEGER' && column[2] === 1);
  return {
    name,
    columns: columns.map((column) => text(column[0])),
    key: key.join(', '),
    hasAscendingIds,
    order: withoutRowid ? '' : 'ORDER BY rowid',
  };
}

/** The progress of a move into a database. */
type MoveState = 'empty' | 'begun' | 'done' | 'other data';

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** Opens a database of PostgreSQL to move another one into, and brings its tables up to date. */
export async function openTarget<Store extends StoreTypes>(store: StoreDefinition<Store>, databaseUrl: string) {
  await setUp(databaseUrl, { name: store.name, migrations: store.postgres.migrations });
  const client = await connectForSetUp(databaseUrl, store.name);
  const rows: Query = async (text, values = []) =>
    (await client.query<unknown[]>({ text, values, rowMode: 'array' })).rows;
  const types = await readColumnTypes(rows);

  return {
    /** The columns of each table that a move fills. */
    columns: new Map([...types].map(([name, columns]) => [name, [...columns.keys()]])),
    /** Records the identity of the database that is being moved here, unless other data is here. */
    async begin(tables: readonly MovedTable[], identity: string, mayBegin: boolean): Promise<MoveState> {
      // Two concurrent moves would each treat the other's rows as their own.
      await rows('SELECT pg_advisory_lock(hashtext($1))', [`${store.name} move`]);
      await rows('CREATE TABLE IF NOT EXISTS move (source text NOT NULL, done boolean NOT NULL)');
      const [begun] = await rows('SELECT source, done FROM move');
      if (begun !== undefined) return begun[0] !== identity ? 'other data' : begun[1] === true ? 'done' : 'begun';
      for (const { name } of tables) {
        if ((await rows(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) {
          await rows('DROP TABLE move');
          return 'other data';
        }
      }
      if (mayBegin) await rows('INSERT INTO move (source, done) VALUES ($1, false)', [identity]);
      return 'empty';
    },
    /** Lets new IDs continue after those that were moved, and records that the move is done. */
    async end(tables: readonly MovedTable[]) {
      for (const { name, highestId } of tables.filter(({ hasAscendingIds }) => hasAscendingIds)) {
        await rows(
          `SELECT setval(pg_get_serial_sequence($1, 'id'), greatest(max(id), $2, 1), greatest(max(id), $2) > 0) FROM ${name}`,
          [name, highestId],
        );
      }
      await rows('ANALYZE');
      await rows('UPDATE move SET done = true');
    },
    lastId: async ({ name }: MovedTable) => integer((await rows(`SELECT coalesce(max(id), 0) FROM ${name}`))[0]?.[0]),
    count: async ({ name }: MovedTable) => integer((await rows(`SELECT count(*) FROM ${name}`))[0]?.[0]),
    /** Reads with a cursor, because a table may not fit into the memory. */
    async checksum({ name, columns }: MovedTable): Promise<string> {
      const sum = new RowChecksum();
      await client.query('BEGIN');
      try {
        const values = columns.map((column) => asCompared(column, types.get(name)?.get(column)));
        await client.query(`DECLARE moved_rows NO SCROLL CURSOR FOR SELECT ${values.join(', ')} FROM ${name}`);
        for (;;) {
          const found = await rows(`FETCH ${FETCHED} FROM moved_rows`);
          for (const row of found) sum.add(Object.values(row));
          if (found.length < FETCHED) return sum.value;
        }
      } finally {
        await client.query('ROLLBACK');
      }
    },
    /** Writes a batch in one statement: all of it or nothing. */
    async write({ name, columns, key, hasAscendingIds }: MovedTable, batch: readonly Row[]): Promise<void> {
      const names = columns.join(', ');
      const arrays = columns.map((column, index) => `$${index + 1}::${types.get(name)?.get(column)}[]`).join(', ');
      const changes = columns.map((column) => `${column} = excluded.${column}`).join(', ');
      const conflict = hasAscendingIds ? '' : `ON CONFLICT (${key}) DO UPDATE SET ${changes}`;
      await rows(
        `INSERT INTO ${name} (${names}) SELECT ${names} FROM unnest(${arrays}) WITH ORDINALITY
          AS moved (${names}, place) ORDER BY place ${conflict}`,
        columns.map((_, index) => batch.map((row) => asParameter(row[index]))),
      );
    },
    close: () => client.end(),
  };
}

type Query = (text: string, values?: unknown[]) => Promise<Row[]>;

/** The tables that are not moved: the history of each engine, the progress of the move, and counts, which start from `usage`. */
const NOT_MOVED = ['migrations', 'move', 'counts'];

/** The columns of each table with their types, without those whose values the engine always generates. */
async function readColumnTypes(rows: Query): Promise<Map<string, Map<string, string>>> {
  const found = await rows(
    `SELECT relname, attname, format_type(atttypid, atttypmod) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p') AND relname <> ALL ($1)
       AND attnum > 0 AND NOT attisdropped AND attidentity <> 'a' AND attgenerated = '' ORDER BY attnum`,
    [NOT_MOVED],
  );
  const types = new Map<string, Map<string, string>>();
  for (const [name, column, type] of found.map((row) => [text(row[0]), text(row[1]), text(row[2])] as const)) {
    types.set(name, (types.get(name) ?? new Map<string, string>()).set(column, type));
  }
  return types;
}

/** SQLite returns bytes as Uint8Array, which the driver of PostgreSQL does not recognise inside a list. */
function asParameter(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
