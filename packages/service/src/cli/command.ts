import { type Config, ConfigError, readDatabase } from '../config/config.ts';
import { KeyError } from '../keys/new-key.ts';
import { memoryDatabaseUrl } from '../storage/open.ts';
import { operatorMessage, StorageSetupError } from '../storage/storage.ts';

/** The arguments are not valid. The message is one line that says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Runs a command: prints its help, or the text that `run` resolves to, or on stderr one line that says why it failed. The exit status is 1
 * after a failure, and 2 for invalid arguments or settings.
 */
export async function runCommand(args: readonly string[], help: string, run: () => Promise<string>): Promise<void> {
  // A program such as `head` closes the pipe early, which is not an error.
  process.stdout.on('error', () => {});
  try {
    const isHelp = args.some((each) => each === '--help' || each === '-h');
    process.stdout.write(isHelp ? help : await run());
  } catch (error) {
    process.stderr.write(`${operatorMessage(error).replaceAll(/\s+/g, ' ')}\n`);
    const isUsage = error instanceof UsageError || error instanceof KeyError || error instanceof ConfigError;
    // Not process.exit(), which would discard output that a pipe has not accepted yet.
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** The database of the environment. @throws StorageSetupError for one in memory, which ends with its process */
export function readStoredDatabase(service: string): Config {
  const config = readDatabase(process.env, service);
  if (config.databaseUrl !== memoryDatabaseUrl) return config;
  throw new StorageSetupError(`${memoryDatabaseUrl} ends with its process. Set DATABASE_URL to a file.`);
}
