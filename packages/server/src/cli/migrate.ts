/** Brings the tables of a database up to date: `npm run --silent migrate -- --help`. */
import { ConfigError, readDatabase } from '../config/config.ts';
import { migrateStorage } from '../operations/storage/index.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl } from '../storage/open.ts';
import { StorageSetupError } from '../storage/storage.ts';

const help = `Runs the migrations that a database does not have yet, all or none. The servers may be running.

Usage: npm run --silent migrate

DATABASE_URL says which database, the same as for the server; default ${defaultDatabaseUrl}.
Its user must be allowed to change tables. Servers with MIGRATE=never need no such user.
Exit status: 0 up to date, 1 the database was not changed, 2 wrong arguments or settings.
`;

const [argument] = process.argv.slice(2);

if (argument === '--help' || argument === '-h') process.stdout.write(help);
else if (argument !== undefined) refuse(2, `This command takes no arguments.\n\n${help}`);
else {
  try {
    const names = await run();
    process.stdout.write(
      names.map((name) => `${name}: done\n`).join('') || 'Nothing to do: the tables are up to date.\n',
    );
  } catch (error) {
    refuse(error instanceof ConfigError ? 2 : 1, `${error instanceof Error ? error.message : error}\n`);
  }
}

async function run(): Promise<string[]> {
  const { databaseUrl } = readDatabase(process.env);
  if (databaseUrl !== memoryDatabaseUrl) return migrateStorage(databaseUrl);
  throw new StorageSetupError(`The tables of ${memoryDatabaseUrl} would be gone at once. Set DATABASE_URL to a file.`);
}

function refuse(status: number, reason: string): void {
  process.stderr.write(reason);
  process.exitCode = status;
}
