import { readDatabase } from '../config/config.ts';
import { assertMode } from '../keys/key-ring.ts';
import type { ServiceParts } from '../openapi/service-parts.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl, openStorageWith } from '../storage/open.ts';
import { StorageSetupError, type StoreTypes } from '../storage/storage.ts';
import { runCommand, UsageError } from './command.ts';

const help = (
  service: string,
) => `Resets a test server: deletes its data and idempotency records, and adds the sample data of the docs.
Keys, quotas and bans stay the same. The servers may be running.

Usage: npm run --silent seed -- --reset

Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl(service)}.
Live databases cannot be reset: those of servers with API_MODE=live, or with NODE_ENV=production and no API_MODE.
Exit status: 0 success, 1 database unavailable or live, 2 invalid arguments or settings.
`;

const usage = 'Pass --reset to delete the data and add the sample data. See: npm run --silent seed -- --help';

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'store' | 'seeds'>;

/** Brings a test server back to its first data: `npm run --silent seed -- --help`. */
export function runSeed<Store extends StoreTypes>(parts: Parts<Store>, args: string[]): Promise<void> {
  return runCommand(args, help(parts.store.name), async () => {
    if (args.length !== 1 || args[0] !== '--reset') throw new UsageError(usage);
    return `${await run(parts)}\n`;
  });
}

async function run<Store extends StoreTypes>({ store, seeds }: Parts<Store>): Promise<string> {
  if (seeds === undefined) throw new StorageSetupError('This API has no sample data.');
  const { mode, databaseUrl, migrate, databaseLimits } = readDatabase(process.env, store.name);
  if (mode === 'live') throw new StorageSetupError('API_MODE is live. Only test servers can be reset.');
  if (databaseUrl === memoryDatabaseUrl) {
    throw new StorageSetupError(`${memoryDatabaseUrl} exists only inside the server. Restart the server instead.`);
  }
  const storage = await openStorageWith(store, databaseUrl, migrate, databaseLimits);
  try {
    await assertMode(storage.keys, mode);
    return `Reset: added ${await seeds.reset(storage)} entries of sample data. Keys and quotas are unchanged.`;
  } finally {
    await storage.close();
  }
}
