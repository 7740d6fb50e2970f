import type { DatabaseSync } from 'node:sqlite';
import { checksum, type Migration, migrationColumns, pendingMigrations } from '../migrations.ts';

/**
 * Runs the migrations that the database does not have yet, all or none; safe when several processes start at once.
 * @throws StorageSetupError when the database has a migration that is unknown here or is not the same
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[], now: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`CREATE TABLE IF NOT EXISTS migrations (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
    const select = database.prepare(`SELECT ${migrationColumns} FROM migrations ORDER BY number`, {
      returnArrays: true,
    });
    const pending = pendingMigrations(select.all(), migrations);
    const record = database.prepare('INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)');
    for (const migration of pending) {
      database.exec(migration.sql);
      record.run(migration.number, migration.name, checksum(migration), now);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
