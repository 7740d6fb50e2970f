/** Brings a test server back to its first data: `npm run --silent seed -- --help`. */
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from './config/config.ts';
import { assertMode } from './keys/key-ring.ts';
import { reset } from './operations/seeds.ts';
import { openStorage } from './operations/storage/index.ts';
import { defaultDatabaseUrl, memoryDatabaseUrl } from './storage/open.ts';
import { StorageSetupError, StorageUnavailableError } from './storage/storage.ts';

const help = `Resets a test server: deletes its data and idempotency records, and adds the data that the docs show.
Keys, quotas and bans stay, so callers notice nothing but the data. The servers may be running.

Usage: npm run --silent seed -- --reset

DATABASE_URL says which database, the same as for the server; default ${defaultDatabaseUrl}.
A live database is refused: one of servers with API_MODE=live, or NODE_ENV=production without API_MODE=test.
Exit status: 0 done, 1 the database cannot be used, or is live, 2 wrong arguments or settings.
`;

/** The arguments are not valid. */
class UsageError extends Error {}

const usage = 'Say --reset to delete the data and start again. See: npm run --silent seed -- --help';

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help === true) process.stdout.write(help);
  else process.stdout.write(`${await run()}\n`);
} catch (error) {
  process.stderr.write(`${reason(error).replaceAll(/\s+/g, ' ')}\n`);
  process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
}

async function run(): Promise<string> {
  const { NODE_ENV, API_MODE, DATABASE_URL, MIGRATE } = process.env;
  const { mode, databaseUrl, migrate } = readConfig({ NODE_ENV, API_MODE, DATABASE_URL, MIGRATE });
  if (mode === 'live') throw new StorageSetupError('Only a test server can be reset, but API_MODE is live.');
  if (databaseUrl === memoryDatabaseUrl) {
    throw new StorageSetupError(`${memoryDatabaseUrl} belongs to one process: restart the server instead.`);
  }
  const storage = await openStorage(databaseUrl, migrate);
  try {
    await assertMode(storage.keys, mode);
    return `Reset: ${await reset(storage)} entries, as in the docs. Keys and quotas stay.`;
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

function reason(error: unknown): string {
  if (error instanceof StorageUnavailableError && error.cause instanceof Error) {
    return `The database cannot be used at the moment: ${error.cause.message}. Nothing was changed.`;
  }
  return error instanceof Error ? error.message : String(error);
}
