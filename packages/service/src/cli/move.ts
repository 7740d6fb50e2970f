import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { readDatabase } from '../config/config.ts';
import type { ServiceParts } from '../openapi/service-parts.ts';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl, migrateWith, nameOf } from '../storage/open.ts';
import { connectForSetUp, setUp } from '../storage/postgres/set-up.ts';
import { integer, type Row, text } from '../storage/rows.ts';
import { LOCK_TIMEOUT, movedMessage, movedTo } from '../storage/sqlite/connection.ts';
import type { StoreTypes } from '../storage/storage.ts';
import { runCommand, UsageError } from './command.ts';

const HELP = 'See: npm run --silent move -- --help';

const helpText = (
  service: string,
) => `Moves an embedded (SQLite) database to PostgreSQL, with all keys, usage, bans and idempotency records.
IDs and keys stay the same.

Usage: npm run --silent move -- --to postgres://USER@HOST:5432/DATABASE [--from ${defaultDatabaseUrl(service)}]

  --from URL  The embedded database. Default: the one that the server uses, which is DATABASE_URL,
              or ${defaultDatabaseUrl(service)} outside production
  --to URL    An empty PostgreSQL database, version 15 or newer. You can pass its password in PGPASSWORD.

1. Back up the embedded database (npm run backup). You need the backup if you want to go back.
2. Stop the servers of the embedded database. Servers that keep running cannot write during or after the move.
3. Run this command. It moves all rows in one transaction: if it fails, nothing was moved, and you can run it again. At
   the end it seals the source: writes to it fail, and servers do not start on it.
4. Start the servers with DATABASE_URL set to the target.

Exit status: 0 success, 1 failed, 2 invalid arguments.
`;

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'store'>;

/** Moves an embedded database into PostgreSQL: `npm run --silent move -- --help`. */
export function runMove<Store extends StoreTypes>(parts: Parts<Store>, args: string[]): Promise<void> {
  const { name } = parts.store;
  return runCommand(args, helpText(name), async () => `${await run(parts, readUrls(args, name))}\n`);
}

/** @throws UsageError that names the first mistake */
function readUrls(args: string[], service: string): { path: string; to: string } {
  const { from: given, to } = readOptions(args);
  if (to === undefined) throw new UsageError(`--to is missing. Use --to postgres://USER@HOST:5432/DATABASE. ${HELP}`);
  const source = given === undefined ? 'DATABASE_URL' : '--from';
  const from = given ?? readDatabase(process.env, service).databaseUrl;
  for (const [option, url] of Object.entries({ [source]: from, '--to': to })) {
    const problem = databaseUrlProblem(url);
    if (problem !== undefined) throw new UsageError(`${option} is not valid. ${problem}`);
  }
  if (!from.startsWith('sqlite:') || from === memoryDatabaseUrl) {
    throw new UsageError(`${source} must be an embedded database: sqlite:PATH. ${HELP}`);
  }
  if (to.startsWith('sqlite:')) throw new UsageError('--to must be a PostgreSQL database: postgres://…');
  const path = from.slice('sqlite:'.length);
  if (!existsSync(path)) throw new UsageError(`The database ${path} does not exist. Change ${source}.`);
  return { path, to };
}

function readOptions(args: string[]) {
  try {
    return parseArgs({ args, options: { from: { type: 'string' }, to: { type: 'string' } } }).values;
  } catch {
    // The parser's message repeats the argument, which may be a URL with a password.
    throw new UsageError(`The only options are --from URL and --to URL. ${HELP}`);
  }
}

async function run<Store extends StoreTypes>({ store }: Parts<Store>, { path, to }: { path: string; to: string }) {
  const [from, targetName] = [nameOf(`sqlite:${path}`), nameOf(to)];
  process.stderr.write(`Moving ${from} to ${targetName}\n`);
  using source = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  const moved = movedTo(source);
  if (moved !== undefined) throw new Error(`The source was already moved to ${moved}. Nothing was moved.`);
  await migrateWith(store, `sqlite:${path}`);
  // Until the end, no other process writes to the source.
  source.exec('BEGIN IMMEDIATE');
  const { databaseLimits } = readDatabase({ ...process.env, DATABASE_URL: to }, store.name);
  await setUp(to, { name: store.name, migrations: store.postgres.migrations }, 'on-start', databaseLimits);
  const target = await connectForSetUp(to, store.name, databaseLimits);
  try {
    await target.query('BEGIN');
    const tables = await tablesOf(source, target);
    let rows = 0;
    for (const table of tables) rows += await copy(source, target, table);
    await target.query('COMMIT');
    seal(source, tables, targetName);
    await target.query('ANALYZE');
    return `Moved ${rows.toLocaleString('en')} rows from ${from} to ${targetName}. The source is now read-only. Start the servers with DATABASE_URL set to the target.`;
  } finally {
    await target.end();
  }
}

type Table = { name: string; columns: ReadonlyMap<string, string>; order: string };

/** Not moved: the history of migrations, the record of a move by an earlier version, and counts, which start from `usage`. */
const NOT_MOVED = ['migrations', 'move', 'moved', 'counts'];

/**
 * The tables to move, in the order of their creation, so that a table follows those that it refers to.
 * @throws Error if a table or column exists on one side only: the move would silently leave out its data
 */
async function tablesOf(source: DatabaseSync, target: Client): Promise<Table[]> {
  const found = select(
    source,
    `SELECT name, wr FROM sqlite_schema JOIN pragma_table_list USING (type, name)
     WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY sqlite_schema.rowid`,
  )
    .map((row) => ({ name: text(row[0]), order: row[1] === 1 ? '' : 'ORDER BY rowid' }))
    .filter(({ name }) => !NOT_MOVED.includes(name));
  const here = found.flatMap(({ name }) =>
    select(source, 'SELECT name FROM pragma_table_info(?)', name).map((row) => `${name}.${text(row[0])}`),
  );
  const { rows } = await target.query<{ name: string; column: string; type: string }>(
    `SELECT relname AS name, attname AS column, format_type(atttypid, atttypmod) AS type
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p') AND relname <> ALL ($1)
       AND attnum > 0 AND NOT attisdropped AND attidentity <> 'a' AND attgenerated = '' ORDER BY attnum`,
    [NOT_MOVED],
  );
  const there = rows.map(({ name, column }) => `${name}.${column}`);
  const problems = [
    ...here.filter((column) => !there.includes(column)).map((column) => `${column} is missing in PostgreSQL`),
    ...there.filter((column) => !here.includes(column)).map((column) => `${column} is missing in SQLite`),
  ];
  if (problems.length > 0) {
    throw new Error(
      `The tables of the two databases differ: ${problems.join(', ')}. Nothing was moved. Add a migration that makes them equal.`,
    );
  }
  return found.map((table) => {
    const columns = rows.filter(({ name }) => name === table.name);
    return { ...table, columns: new Map(columns.map(({ column, type }) => [column, type])) };
  });
}

/** The limits of one statement, so that its values fit into memory. */
const BATCH = { rows: 10_000, bytes: 8_000_000 };

async function copy(source: DatabaseSync, target: Client, { name, columns, order }: Table): Promise<number> {
  if ((await target.query(`SELECT 1 FROM ${name} LIMIT 1`)).rows.length > 0) {
    throw new Error(
      'The target already contains other data. Create an empty database with CREATE DATABASE, and move to that one.',
    );
  }
  const names = [...columns.keys()].join(', ');
  const arrays = [...columns.values()].map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const insert = `INSERT INTO ${name} (${names}) SELECT ${names} FROM unnest(${arrays}) WITH ORDINALITY
    AS moved (${names}, place) ORDER BY place`;
  let copied = 0;
  let batch: unknown[][] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const result = await target.query(
      insert,
      [...columns].map((_, index) => batch.map((row) => row[index])),
    );
    copied += result.rowCount ?? 0;
    batch = [];
    bytes = 0;
  };
  const rows = source.prepare(`SELECT ${names} FROM ${name} ${order}`, { returnArrays: true });
  for (const row of rows.iterate()) {
    // The driver of PostgreSQL does not recognise a Uint8Array inside a list.
    const values = Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
    batch.push(values);
    for (const value of values) bytes += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
    if (batch.length >= BATCH.rows || bytes >= BATCH.bytes) await flush();
  }
  await flush();
  if (columns.get('id') === 'bigint') {
    // New IDs continue after the highest one that was ever used, even if its row was deleted.
    const [used] = select(source, 'SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = ?', name);
    await target.query(
      `SELECT setval(pg_get_serial_sequence($1, 'id'), greatest(max(id), $2, 1), greatest(max(id), $2) > 0) FROM ${name}`,
      [name, integer(used?.[0])],
    );
  }
  process.stderr.write(`${name}: ${copied.toLocaleString('en')} rows\n`);
  return copied;
}

/**
 * Lets the file refuse every later write, also of servers that have it open and of older versions: triggers raise an error that names the
 * target. Ends the transaction, so that not a single write fits in between.
 */
function seal(source: DatabaseSync, tables: readonly Table[], target: string): void {
  const reason = movedMessage(target).replaceAll("'", "''");
  source.exec('CREATE TABLE moved (target TEXT NOT NULL, moved_at INTEGER NOT NULL) STRICT');
  source.prepare('INSERT INTO moved (target, moved_at) VALUES (?, ?)').run(target, Date.now());
  for (const { name } of tables) {
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      source.exec(`CREATE TRIGGER moved_${name}_${change.toLowerCase()} BEFORE ${change} ON ${name}
        BEGIN SELECT RAISE(ABORT, '${reason}'); END`);
    }
  }
  source.exec('COMMIT');
}

function select(database: DatabaseSync, sql: string, ...values: string[]): Row[] {
  return database.prepare(sql, { returnArrays: true }).all(...values);
}
