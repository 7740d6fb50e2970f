import { hostname, userInfo } from 'node:os';
import { systemClock } from '../common/time.ts';
import { readDatabase, readMode } from '../config/config.ts';
import type { ServiceParts } from '../contract/service-parts.ts';
import { openStorageWith } from '../storage/open.ts';
import type { StoreTypes } from '../storage/storage.ts';
import { runCli } from './run.ts';

/** The command for API keys: `npm run --silent keys -- --help`. */
export async function runKeys<Store extends StoreTypes>(
  { contract, store }: Pick<ServiceParts<Store>, 'contract' | 'store'>,
  args: string[],
): Promise<void> {
  // A program such as `head` closes the pipe early, which is not an error.
  process.stdout.on('error', () => {});
  // Not process.exit(), which would discard output that a pipe has not accepted yet.
  process.exitCode = await runCli(args, {
    contract,
    service: store.name,
    open: (url, option) => openStorageWith(store, url, option),
    readDatabase: () => readDatabase(process.env, store.name),
    redisUrl: process.env['REDIS_URL'],
    readMode: () => readMode(process.env),
    user: () => `${userName()}@${hostname()}`,
    clock: systemClock,
    output: { out: (text) => process.stdout.write(text), note: (text) => process.stderr.write(text) },
  });
}

/** Undefined in a container whose user has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
