import type pg from 'pg';
import { checksum, type Migration, migrationColumns, pendingMigrations } from '../migrations.ts';

/** Two numbers that stand for the right to change the tables; anything, but for ever the same. */
const LOCK = [1_634_627_433, 1_835_887_981];

/** Runs the migrations that the database does not have yet, all or none; whoever comes second waits for the first. */
export async function migrate(client: pg.Client, migrations: readonly Migration[], now: number): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', LOCK);
    await makeHistory(client);
    const { rows } = await client.query<unknown[]>({
      text: `SELECT ${migrationColumns} FROM migrations ORDER BY number`,
      rowMode: 'array',
    });
    for (const migration of pendingMigrations(rows, migrations)) {
      await client.query(migration.sql);
      const { number, name } = migration;
      await client.query('INSERT INTO migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)', [
        number,
        name,
        checksum(migration),
        now,
      ]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Looks first: a user who may not make tables can start a server whose tables are there. */
async function makeHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('migrations') IS NOT NULL AS exists");
  if (rows[0]?.exists === true) return;
  await client.query(`CREATE TABLE migrations (
    number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)`);
}
