import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defaultDatabaseUrl } from '../storage/open.ts';
import { readStoredDatabase, runCommand, UsageError } from './command.ts';

const help = (service: string) => `Copies the embedded (SQLite) database. The servers may be running.

Usage: npm run --silent backup -- FILE

FILE must not exist. Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl(service)}.
To restore a backup, stop the servers and replace the database with it. See docs/operate/sqlite.md.
Exit status: 0 success, 1 failed, 2 invalid arguments or settings.
`;

type Parts = { store: { name: string } };

/** Copies an embedded database while servers use it: `npm run --silent backup -- --help`. */
export function runBackup({ store: { name } }: Parts, args: string[]): Promise<void> {
  const [target, ...more] = args;
  return runCommand(args, help(name), async () => {
    if (target === undefined || target.startsWith('-') || more.length > 0) {
      throw new UsageError('Pass one file name. Usage: npm run --silent backup -- FILE');
    }
    const rows = writeBackup(pathOf(readStoredDatabase(name).databaseUrl), target);
    return `${target}: ${rows.toLocaleString('en')} rows.\n`;
  });
}

function pathOf(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl.slice('sqlite:'.length);
  throw new Error('DATABASE_URL is a PostgreSQL database. Back it up with pg_dump; see docs/operate/postgresql.md.');
}

/**
 * Returns the number of rows in the copy. It is checked and synced to disk under a temporary name, so the target is
 * always complete.
 */
function writeBackup(path: string, target: string): number {
  if (!existsSync(path)) throw new Error(`The database ${path} does not exist. Check DATABASE_URL.`);
  if (existsSync(target)) throw new Error(`${target} already exists. Choose another file name.`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new Error(`The folder ${folder} does not exist. Create it first.`);
  const partial = `${target}.partial`;
  try {
    copy(path, partial);
    const rows = check(partial);
    sync(partial);
    renameSync(partial, target);
    return rows;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Copies in a read transaction: writers do not wait for it, and their later changes are not in the copy. */
function copy(path: string, target: string): void {
  // The copy contains hashes of keys, so only its owner may read it.
  closeSync(openSync(target, 'w', 0o600));
  using source = new DatabaseSync(path, { readOnly: true });
  source.prepare('VACUUM INTO ?').run(target);
}

function check(file: string): number {
  using copied = new DatabaseSync(file, { readOnly: true });
  const [verdict] = Object.values(copied.prepare('PRAGMA integrity_check').get() ?? {});
  if (verdict !== 'ok') throw new Error(`The copy is damaged: ${verdict}. The database may be damaged, too.`);
  const tables = copied
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all();
  return tables.reduce(
    (sum, { name }) => sum + Number(copied.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()?.['rows']),
    0,
  );
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
