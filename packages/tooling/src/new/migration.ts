import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.ts';

const folder = join(root, 'packages/server/src/operations/storage/migrations');

/**
 * Writes the next migration of both engines. Neither can run until its statements are written, because a migration that has run
 * never runs again.
 *
 * @returns the files
 */
export function newMigration(name: string): string[] {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `"${name}" is not a valid name for a migration. Use lower-case words and hyphens, such as notes-by-folder.`,
    );
  }
  const folders = ['sqlite', 'postgres'].map((engine) => join(folder, engine));
  const numbers = folders.flatMap((one) => readdirSync(one).map((file) => Number.parseInt(file, 10) || 0));
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0');
  return folders.map((one) => {
    const file = join(one, `${number}-${name}.sql`);
    writeFileSync(file, migrationText(one.endsWith('postgres')), { flag: 'wx' });
    return file;
  });
}

function migrationText(isPostgres: boolean): string {
  const timeout = `-- Fails instead of blocking all callers behind a pg_dump; the supervisor restarts the server.
SET LOCAL lock_timeout = '500ms';

`;
  const index = `-- Write indexes as CREATE INDEX IF NOT EXISTS name ON table (columns): operators can then create them on large tables before.
`;
  return `${isPostgres ? timeout : ''}-- Explain here why the tables change, and replace the next line with the statements.
${isPostgres ? index : ''}this_migration_is_not_written_yet;
`;
}
