/** Brings the tables of a database up to date: `npm run --silent migrate -- --help`. */
import { ConfigError, readDatabase } from '../config/config.ts';
import { migrateStorage } from '../operations/storage/index.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl } from '../storage/open.ts';
import { StorageSetupError } from '../storage/storage.ts';

const help = `Runs all pending migrations of the database. The servers may be running. On PostgreSQL, indexes on large tables are built
first, while the servers use the tables. If a migration fails, the output names it and says what was changed.

Usage: npm run --silent migrate

Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl}. Its user must be allowed to
change tables. Servers with MIGRATE=never do not need that right.
Exit status: 0 up to date, 1 failed, 2 invalid arguments or settings.
`;

const [argument] = process.argv.slice(2);

if (argument === '--help' || argument === '-h') process.stdout.write(help);
else if (argument !== undefined) refuse(2, `migrate takes no arguments.\n\n${help}`);
else {
  try {
    const names = await run();
    process.stdout.write(names.map((name) => `${name}: done\n`).join('') || 'The tables are already up to date.\n');
  } catch (error) {
    refuse(error instanceof ConfigError ? 2 : 1, `${error instanceof Error ? error.message : error}\n`);
  }
}

async function run(): Promise<string[]> {
  const { databaseUrl } = readDatabase(process.env);
  if (databaseUrl !== memoryDatabaseUrl) return migrateStorage(databaseUrl);
  throw new StorageSetupError(`${memoryDatabaseUrl} would lose the tables immediately. Set DATABASE_URL to a file.`);
}

function refuse(status: number, reason: string): void {
  process.stderr.write(reason);
  process.exitCode = status;
}
