import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StorageSetupError } from '../storage.ts';
import { integer, text } from './tables/values.ts';

/** One step of the tables' history. Once released it never changes. */
export type Migration = { number: number; name: string; sql: string };

/** The migrations of a folder, files named like `0001-start.sql`, by number. */
export function readMigrations(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((name, index) => {
    const number = Number(/^(\d{4})-/.exec(name)?.[1]);
    if (number !== index + 1) throw new Error(`The migration ${name} is out of sequence.`);
    // A checkout may have changed the line ends; the checksum must not notice.
    const sql = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');
    return { number, name, sql };
  });
}

/**
 * Runs the migrations that the database does not have yet, all or none; safe when several processes start at once.
 * @throws StorageSetupError when the database has a migration that is unknown here or is not the same
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[], now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS migrations (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
    const applied = countApplied(database, migrations);
    const record = database.prepare('INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)');
    for (const migration of migrations.slice(applied)) {
      database.exec(migration.sql);
      record.run(migration.number, migration.name, checksum(migration), now);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** How many of the migrations the database has. */
function countApplied(database: DatabaseSync, migrations: readonly Migration[]): number {
  const sql = 'SELECT number, name, checksum FROM migrations ORDER BY number';
  const rows = database.prepare(sql, { returnArrays: true }).all();
  for (const [index, row] of rows.entries()) {
    const known = migrations[index];
    const name = text(row[1]);
    if (known === undefined) {
      throw new StorageSetupError(
        `The database is newer than this program: it has the migration ${name}, which is unknown here. Start the version that made it, or a later one.`,
      );
    }
    if (integer(row[0]) !== known.number || text(row[2]) !== checksum(known)) {
      throw new StorageSetupError(
        `The migration ${known.name} was changed after it ran on this database (there as ${name}). Put further changes into a new migration; while you are still writing this one, delete the database and start again.`,
      );
    }
  }
  return rows.length;
}

function checksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}
