import { ConfigError, readDatabase } from '../config/config.ts';
import type { ServiceParts } from '../contract/service-parts.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl, migrateWith } from '../storage/open.ts';
import { StorageSetupError, type StoreTypes } from '../storage/storage.ts';

const help = (
  service: string,
) => `Runs all pending migrations of the database. The servers may be running. If a migration fails, the output names it, and
nothing was changed.

Usage: npm run --silent migrate

Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl(service)}. Its user must be allowed to
change tables. Servers with MIGRATE=never do not need that right.
Exit status: 0 up to date, 1 failed, 2 invalid arguments or settings.
`;

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'store'>;

/** Brings the tables of a database up to date: `npm run --silent migrate -- --help`. */
export async function runMigrate<Store extends StoreTypes>(parts: Parts<Store>, [argument]: string[]): Promise<void> {
  if (argument === '--help' || argument === '-h') return void process.stdout.write(help(parts.store.name));
  if (argument !== undefined) return refuse(2, `migrate takes no arguments.\n\n${help(parts.store.name)}`);
  try {
    const names = await run(parts);
    process.stdout.write(names.map((name) => `${name}: done\n`).join('') || 'The tables are already up to date.\n');
  } catch (error) {
    refuse(error instanceof ConfigError ? 2 : 1, `${error instanceof Error ? error.message : error}\n`);
  }
}

async function run<Store extends StoreTypes>({ store }: Parts<Store>): Promise<string[]> {
  const { databaseUrl } = readDatabase(process.env, store.name);
  if (databaseUrl !== memoryDatabaseUrl) return migrateWith(store, databaseUrl);
  throw new StorageSetupError(`${memoryDatabaseUrl} would lose the tables immediately. Set DATABASE_URL to a file.`);
}

function refuse(status: number, reason: string): void {
  process.stderr.write(reason);
  process.exitCode = status;
}
