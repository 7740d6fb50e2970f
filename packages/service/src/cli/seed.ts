import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config/config.ts';
import type { ServiceParts } from '../contract/service-parts.ts';
import { assertMode } from '../keys/key-ring.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl, openStorageWith } from '../storage/open.ts';
import { operatorMessage, StorageSetupError, type StoreTypes } from '../storage/storage.ts';

const help = (
  service: string,
) => `Resets a test server: deletes its data and idempotency records, and adds the sample data of the docs.
Keys, quotas and bans stay the same. The servers may be running.

Usage: npm run --silent seed -- --reset

Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl(service)}.
Live databases cannot be reset: those of servers with API_MODE=live, or with NODE_ENV=production and no API_MODE.
Exit status: 0 success, 1 database unavailable or live, 2 invalid arguments or settings.
`;

/** The arguments are not valid. */
class UsageError extends Error {}

const usage = 'Pass --reset to delete the data and add the sample data. See: npm run --silent seed -- --help';

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'store' | 'seeds'>;

/** Brings a test server back to its first data: `npm run --silent seed -- --help`. */
export async function runSeed<Store extends StoreTypes>(parts: Parts<Store>, args: string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options.help === true) process.stdout.write(help(parts.store.name));
    else process.stdout.write(`${await run(parts)}\n`);
  } catch (error) {
    process.stderr.write(`${operatorMessage(error).replaceAll(/\s+/g, ' ')}\n`);
    process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

async function run<Store extends StoreTypes>({ store, seeds }: Parts<Store>): Promise<string> {
  if (seeds === undefined) throw new StorageSetupError('This API has no sample data.');
  const { NODE_ENV, API_MODE, DATABASE_URL, MIGRATE } = process.env;
  const { mode, databaseUrl, migrate } = readConfig({ NODE_ENV, API_MODE, DATABASE_URL, MIGRATE }, store.name);
  if (mode === 'live') throw new StorageSetupError('API_MODE is live. Only test servers can be reset.');
  if (databaseUrl === memoryDatabaseUrl) {
    throw new StorageSetupError(`${memoryDatabaseUrl} exists only inside the server. Restart the server instead.`);
  }
  const storage = await openStorageWith(store, databaseUrl, migrate);
  try {
    await assertMode(storage.keys, mode);
    return `Reset: added ${await seeds.reset(storage)} entries of sample data. Keys and quotas are unchanged.`;
  } finally {
    await storage.close();
  }
}

function readOptions(args: string[]) {
  try {
    const options = { reset: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args, options });
    if (values.reset === true || values.help === true) return values;
  } catch {
    // Ignored, because the usage below explains all options.
  }
  throw new UsageError(usage);
}
