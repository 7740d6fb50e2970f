import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isNativeError } from 'node:util/types';
import { type Row, text } from '../rows.ts';
import { MigrationError, StorageSetupError } from '../storage.ts';

/**
 * One change of the tables. A released migration never changes. Its name is that of its stream and its file, such as
 * `service/0001-start.sql`: the tables of the service, and those of the store, change independently.
 */
export type Migration = {
  name: string;
  sql: string;
  /** The checksum of a file that this one and others have replaced: a database that has run it has these tables. */
  replaces?: string | undefined;
};

/** The stream of the tables that every service has. */
const SERVICE = 'service';

/**
 * Whether to run pending migrations, or to refuse a database that lacks some (`MIGRATE=never`), as a server without the
 * privilege to change tables must. With `existing`, a database that has no tables yet is refused, because its URL may be wrong.
 */
export type MigrateOption = 'on-start' | 'existing' | 'never';

/** All migrations of a database: those of the service, then those of its store. */
export function migrationsOf(engine: 'sqlite' | 'postgres', store: { name: string; migrations: URL }): Migration[] {
  if (store.name === SERVICE) {
    throw new MigrationError(`A store cannot be named ${SERVICE}, the stream of the common tables.`);
  }
  const own = new URL(`${engine}/`, import.meta.url);
  return [...readMigrations(own, SERVICE), ...readMigrations(store.migrations, store.name)];
}

/**
 * Reads the migrations of a folder, files such as `0001-start.sql`, in the order of their numbers.
 * @throws MigrationError if the folder has none, or one without a number of its own
 */
export function readMigrations(folder: URL, stream: string): Migration[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.sql')) : [];
  if (files.length === 0) {
    throw new MigrationError(
      `The folder ${fileURLToPath(folder)} has no migrations. Check the path in the store, or run npm run new -- migration NAME.`,
    );
  }
  let last = 0;
  return files.sort().map((file) => {
    const number = Number(/^(\d{4})-/.exec(file)?.[1]);
    if (!(number > last))
      throw new MigrationError(
        `The name of the migration ${file} does not begin with a unique number. Use a name such as 0002-colours.sql.`,
      );
    last = number;
    // A checkout may change line endings, which must not change the checksum.
    const sql = readFileSync(new URL(file, folder), 'utf8').replaceAll('\r\n', '\n');
    return { name: `${stream}/${file}`, sql, replaces: /^-- replaces ([0-9a-f]{64})$/m.exec(sql)?.[1] };
  });
}

/**
 * Whether servers that do not know a migration can keep using the database, because it only adds: tables, columns that are
 * nullable or have a default, indexes. Its file says so in a line `-- additive`, and the database stores it.
 */
export function isAdditive({ sql }: Migration): boolean {
  return /^-- additive$/m.test(sql);
}

export function migrationMissing({ name }: Migration): StorageSetupError {
  return new StorageSetupError(
    `The database lacks the migration ${name}, and MIGRATE is never. Run npm run migrate as a user that is allowed to change its tables.`,
  );
}

const historyColumns = ['number', 'name', 'checksum', 'applied_at'];

/**
 * Refuses a database of another program: it has tables, but no history of migrations.
 * @param history the columns of its table `migrations`, or none
 */
export function assertOwnDatabase(history: readonly string[], tables: readonly string[]): void {
  const missing = historyColumns.find((column) => !history.includes(column));
  if (missing === undefined || (history.length === 0 && tables.length === 0)) return;
  const reason =
    history.length === 0
      ? `it has the table ${tables[0]}, but no migrations`
      : `its table migrations has no column ${missing}`;
  throw new StorageSetupError(
    `The database belongs to another program: ${reason}. Set DATABASE_URL to an empty database.`,
  );
}

/** The error for a database that does not exist, or has no tables, if it must not be created. */
export function databaseMissing(database: string, problem: 'does not exist' | 'has no tables'): StorageSetupError {
  return new StorageSetupError(
    `The database ${database} ${problem}. Set DATABASE_URL to the database of the servers. To create a new one, run npm run migrate or start a server.`,
  );
}

/**
 * The migrations that a database does not have yet.
 * @param applied rows of name, checksum and whether the migration is additive, in their order
 * @throws StorageSetupError if an applied migration differs, or is unknown here and not additive, or if one was added before it
 */
export function pendingMigrations(applied: readonly Row[], migrations: readonly Migration[]): readonly Migration[] {
  const done = new Set(applied.flatMap((row) => appliedBy(row, migrations)));
  const pending = migrations.filter((migration) => !done.has(migration));
  for (const missing of pending) {
    const later = [...done].find(({ name }) => streamOf(name) === streamOf(missing.name) && name > missing.name);
    if (later === undefined) continue;
    throw new StorageSetupError(
      `The migration ${missing.name} was added before ${later.name}, which has already run on this database. Give it a higher number.`,
    );
  }
  return pending;
}

/** The migrations that a row of the history stands for: two for a file that was split later, none for an unknown one. */
function appliedBy(row: Row, migrations: readonly Migration[]): readonly Migration[] {
  const name = text(row[0]);
  const stream = streamOf(name);
  // Versions up to 1.1.0 had one stream, without a name.
  const named = migrations.filter((known) => known.name === name || (stream === '' && known.name.endsWith(`/${name}`)));
  const found = named.filter((known) => [checksum(known), known.replaces].includes(text(row[1])));
  if (found.length > 0) return found;
  if (named.length > 0) {
    throw new StorageSetupError(
      `The migration ${name} was changed after it ran on this database. Put further changes into a new migration. If you are still writing this one, delete the database and start again.`,
    );
  }
  const isOfAnotherApi = stream !== '' && !migrations.some((known) => streamOf(known.name) === stream);
  if (!isOfAnotherApi && (row[2] === 1 || row[2] === true)) return [];
  throw new StorageSetupError(
    isOfAnotherApi
      ? `The database belongs to another API: it has the migration ${name}. Set DATABASE_URL to a database of its own.`
      : `The database is newer than this program: it has the migration ${name}, which this program does not know. Start the version that created it, or a later one.`,
  );
}

function streamOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('/')));
}

export function migrationFailed(engine: string, { name }: Migration, cause: unknown): MigrationError {
  const reason = (isNativeError(cause) ? cause.message : String(cause)).replace(/\.$/, '');
  return new MigrationError(
    `The ${engine} migration ${name} fails: ${reason}. The database was not changed. Correct the file, or report this if it came with a release.`,
    { cause },
  );
}

export function checksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
