import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { timeouts } from '../../common/time.ts';
import {
  type Migration,
  migrationFailed,
  nextStatement,
  splitStatements,
  withoutComments,
} from '../migrations/migrations.ts';
import { StorageSetupError, StorageUnavailableError } from '../storage.ts';
import { translate } from './errors.ts';

/** Shows a line to the operator who starts a server or runs the migrations. */
export type Note = (text: string) => void;

/** An index that a migration creates: its name, its table, and its statement with its offset in the file. */
type Index = { name: string; table: string; sql: string; offset: number };

/** Up to this size, an index takes a fraction of a second, and is created in the transaction of the other migrations. */
const SMALL_TABLE_BYTES = 8 * 1024 * 1024;

/**
 * The advisory lock for building indexes. It is not the lock for migrations: other processes wait for that one in a statement,
 * whose snapshot the build would wait for in turn.
 */
const BUILD_LOCK = [1_634_627_433, 1_651_862_628];
const POLL_MS = 250;

const createIndex = /^(CREATE (?:UNIQUE )?INDEX) (IF NOT EXISTS (\w+) ON (\w+)\b.*)/i;

/** The indexes that a migration creates with IF NOT EXISTS, which can be built before its transaction. */
export function indexesIn({ sql }: Migration): Index[] {
  return splitStatements(sql).flatMap(({ text, offset }) => {
    const [, create, rest, name, table] = createIndex.exec(withoutComments(text)) ?? [];
    if (name === undefined || table === undefined) return [];
    return [{ name, table, sql: `${create} CONCURRENTLY ${rest}`, offset: nextStatement(sql, offset) ?? offset }];
  });
}

/** Whether one of the indexes is missing on a large table, so that it must not be created in a transaction. */
export async function needsBuild(client: pg.Client, indexes: readonly Index[]): Promise<boolean> {
  for (const index of indexes) {
    const { isValid, bytes } = await find(client, index);
    if (isValid !== true && bytes > SMALL_TABLE_BYTES) return true;
  }
  return false;
}

/** Drops the invalid indexes of a migration, which its IF NOT EXISTS would keep. For a transaction, so only on small tables. */
export async function dropInvalid(client: pg.Client, indexes: readonly Index[]): Promise<void> {
  for (const index of indexes) {
    const { isValid } = await find(client, index);
    if (isValid !== false) continue;
    // Fails instead of blocking all callers behind a statement that holds the table.
    await client.query(`SET LOCAL lock_timeout = '500ms'; DROP INDEX ${index.name};
      SET LOCAL lock_timeout = ${timeouts.setUpLock}`);
  }
}

/**
 * Builds the missing indexes of a migration while other processes read and write the table. An invalid index, which an
 * interrupted build leaves, is dropped first. If another process is building, it waits for that one.
 *
 * @throws StorageSetupError through PgBouncer, whose timeouts would end the build
 * @throws MigrationError if an index cannot be built, such as a unique one on rows that are not
 */
export async function buildIndexes(
  client: pg.Client,
  migration: Migration,
  { isPooled, note, kept }: { isPooled: boolean; note: Note; kept: Migration | undefined },
): Promise<void> {
  if (isPooled) {
    throw new StorageSetupError(
      `The migration ${migration.name} builds an index on a large table, which takes longer than the timeouts of PgBouncer. Run npm run migrate with a URL that leads to PostgreSQL directly.`,
    );
  }
  await lock(client, () => note(`Another process is building the indexes of ${migration.name}. Waiting for it.`));
  try {
    // Readers and writers do not wait for the build, so it can wait for long transactions, such as a pg_dump.
    await client.query('SET lock_timeout = 0');
    for (const index of indexesIn(migration)) {
      const { isValid } = await find(client, index);
      if (isValid === true) continue;
      note(`Building the index ${index.name} (${migration.name}). The servers that are running can use the table.`);
      if (isValid === false) await drop(client, index);
      await build(client, index, migration, kept);
    }
  } finally {
    // If the connection is lost, the server does both.
    await client.query('RESET lock_timeout').catch(() => {});
    await client.query('SELECT pg_advisory_unlock($1, $2)', BUILD_LOCK).catch(() => {});
  }
}

/** Takes the lock for builds. Asks again and again, because a statement that waits would make the build wait for it. */
async function lock(client: pg.Client, onWait: () => void): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS locked', BUILD_LOCK);
    if (rows[0]?.locked === true) return;
    if (attempt === 0) onWait();
    await setTimeout(POLL_MS);
  }
}

async function build(client: pg.Client, index: Index, migration: Migration, kept: Migration | undefined) {
  try {
    await client.query(index.sql);
    const { isValid } = await find(client, index);
    if (isValid !== true) throw new Error(`${index.name} exists, but is not a valid index`);
  } catch (error) {
    // An invalid index slows down writes without helping reads. If this fails, the next attempt drops it.
    await drop(client, index).catch(() => {});
    if (translate(error) instanceof StorageUnavailableError) throw error;
    throw migrationFailed('PostgreSQL', migration, index.offset, error, kept);
  }
}

async function drop(client: pg.Client, { name }: Index): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** Whether an index is valid, undefined if it does not exist; and the size of its table with all partitions, 0 if that does not exist. */
async function find(
  client: pg.Client,
  { name, table }: Index,
): Promise<{ isValid: boolean | undefined; bytes: number }> {
  const { rows } = await client.query<{ valid: boolean | null; bytes: number }>(
    `SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)) AS valid,
      (SELECT coalesce(sum(pg_relation_size(relid)), pg_relation_size(to_regclass($2)), 0)
        FROM pg_partition_tree(to_regclass($2)))::float8 AS bytes`,
    [name, table],
  );
  return { isValid: rows[0]?.valid ?? undefined, bytes: rows[0]?.bytes ?? 0 };
}
