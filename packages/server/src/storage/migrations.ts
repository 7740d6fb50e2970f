import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isNativeError } from 'node:util/types';
import { integer, type Row, text } from './rows.ts';
import { MigrationError, StorageSetupError } from './storage.ts';

/** One change of the tables. A released migration never changes. */
export type Migration = { number: number; name: string; sql: string };

/**
 * Whether to run pending migrations, or to refuse a database that lacks some (`MIGRATE=never`), as a server without the
 * privilege to change tables must. With `existing`, a database that has no tables yet is refused, because its URL may be wrong.
 */
export type MigrateOption = 'on-start' | 'existing' | 'never';

/** Reads the migrations of a folder, files such as `0001-start.sql`, in the order of their numbers. */
export function readMigrations(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((name, index) => {
    const number = Number(/^(\d{4})-/.exec(name)?.[1]);
    if (number !== index + 1) throw new Error(`The migration ${name} is out of sequence.`);
    // A checkout may change line endings, which must not change the checksum.
    const sql = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');
    return { number, name, sql };
  });
}

/**
 * Whether servers that do not know a migration can keep using the database, because it only adds: tables, columns that are
 * nullable or have a default, indexes. Its file says so in a line `-- additive`, and the database stores it.
 */
export function isAdditive({ sql }: Migration): boolean {
  return /^-- additive$/m.test(sql);
}

/** The error for a database that lacks a migration that may not be run. */
export function migrationMissing({ name }: Migration): StorageSetupError {
  return new StorageSetupError(
    `The database lacks the migration ${name}, and MIGRATE is never. Run npm run migrate as a user that is allowed to change its tables.`,
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
 *
 * @param applied the applied migrations by number, as rows of number, name, checksum and whether they are additive
 * @throws StorageSetupError if an applied migration differs, or is unknown here and not additive
 */
export function pendingMigrations(applied: readonly Row[], migrations: readonly Migration[]): readonly Migration[] {
  for (const [index, row] of applied.entries()) {
    const known = migrations[index];
    const name = text(row[1]);
    if (known === undefined) {
      if (row[3] === 1 || row[3] === true) continue;
      throw new StorageSetupError(
        `The database is newer than this program: it has the migration ${name}, which this program does not know. Start the version that created it, or a later one.`,
      );
    }
    if (integer(row[0]) !== known.number || text(row[2]) !== checksum(known)) {
      throw new StorageSetupError(
        `The migration ${known.name} was changed after it ran on this database (as ${name}). Put further changes into a new migration. If you are still writing this one, delete the database and start again.`,
      );
    }
  }
  return migrations.slice(applied.length);
}

/** Whitespace, comments and empty statements, which may precede a statement. */
const insignificant = /(?:\s|;|--[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** The offset of the first statement at or after an offset; undefined if there is none. */
export function nextStatement(sql: string, offset: number): number | undefined {
  insignificant.lastIndex = offset;
  insignificant.exec(sql);
  return insignificant.lastIndex < sql.length ? insignificant.lastIndex : undefined;
}

/** One statement, with the comments before it. Semicolons in strings, quoted names and comments do not end it. */
const oneStatement = /(?:--[^\n]*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;])+;?/g;

/** The statements of a migration of PostgreSQL, each with the comments before it, and where each begins. */
export function splitStatements(sql: string): { text: string; offset: number }[] {
  return Array.from(sql.matchAll(oneStatement), ({ 0: text, index }) => ({ text, offset: index })).filter(
    ({ text }) => nextStatement(text, 0) !== undefined,
  );
}

/**
 * The error for a migration that failed.
 *
 * @param offset where in its SQL; undefined if that is unknown
 * @param kept the last migration that this process has run before, in a transaction of its own
 */
export function migrationFailed(
  engine: string,
  { name, sql }: Migration,
  offset: number | undefined,
  cause: unknown,
  kept?: Migration,
): MigrationError {
  const reason = (isNativeError(cause) ? cause.message : String(cause)).replace(/\.$/, '');
  const place = offset === undefined ? '' : ` at ${describeLine(sql, offset)}`;
  const state =
    kept === undefined ? 'The database was not changed.' : `The migrations up to ${kept.name} have run and stay.`;
  return new MigrationError(
    `The ${engine} migration ${name} fails${place}: ${reason}. ${state} Correct the file, or report this if it came with a release.`,
    { cause },
  );
}

function describeLine(sql: string, offset: number): string {
  const number = sql.slice(0, offset).split('\n').length;
  const text = sql.split('\n')[number - 1] ?? '';
  return `line ${number}, "${text.trim().slice(0, 100)}"`;
}

/** Detects a migration that was changed after it ran. */
export function checksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
