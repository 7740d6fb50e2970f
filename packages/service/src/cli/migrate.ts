import type { ServiceParts } from '../openapi/service-parts.ts';
import { defaultDatabaseUrl, migrateWith } from '../storage/open.ts';
import type { StoreTypes } from '../storage/storage.ts';
import { readStoredDatabase, runCommand, UsageError } from './command.ts';

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
export function runMigrate<Store extends StoreTypes>({ store }: Parts<Store>, args: string[]): Promise<void> {
  return runCommand(args, help(store.name), async () => {
    if (args.length > 0) throw new UsageError('migrate takes no arguments. See: npm run --silent migrate -- --help');
    const { databaseUrl, databaseLimits } = readStoredDatabase(store.name);
    const names = await migrateWith(store, databaseUrl, databaseLimits);
    return names.map((name) => `${name}: done\n`).join('') || 'The tables are already up to date.\n';
  });
}
