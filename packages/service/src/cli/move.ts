import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, readDatabase } from '../config/config.ts';
import type { ServiceParts } from '../contract/service-parts.ts';
import { openSource, openTarget } from '../move/databases.ts';
import { MoveError, move, progressBar } from '../move/move.ts';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl, migrateWith, nameOf } from '../storage/open.ts';
import { StorageSetupError, type StoreTypes } from '../storage/storage.ts';

const HELP = 'See: npm run --silent move -- --help';

const helpText = (
  service: string,
) => `Moves an embedded (SQLite) database to PostgreSQL, with all keys, usage, bans and idempotency records.
IDs and keys stay the same.

Usage: npm run --silent move -- --to postgres://USER@HOST:5432/DATABASE [--from ${defaultDatabaseUrl(service)}]

  --from URL  The embedded database. Default: the one that the server uses, which is DATABASE_URL,
              or ${defaultDatabaseUrl(service)} outside production
  --to URL    An empty PostgreSQL database, version 15 or newer. You can pass its password in PGPASSWORD.

1. Back up the embedded database (npm run backup). You need the backup if you want to go back.
2. Stop the servers of the embedded database. Servers that keep running cannot write during or after the move.
3. Run this command. If you interrupt it, run it again to continue. At the end it compares the rows of both databases by
   count and checksum, and seals the source: writes to it fail, and servers do not start on it.
4. Start the servers with DATABASE_URL set to the target.

Exit status: 0 success, 1 failed (the source is not sealed), 2 invalid arguments, 130 interrupted.
`;

/** The arguments are not valid. */
class MoveUsageError extends MoveError {
  override name = 'MoveUsageError';
}

type Parts<Store extends StoreTypes> = Pick<ServiceParts<Store>, 'store'>;

/** Moves an embedded database into PostgreSQL: `npm run --silent move -- --help`. */
export async function runMove<Store extends StoreTypes>(parts: Parts<Store>, args: string[]): Promise<void> {
  // Each batch is written completely or not at all, so the move can stop at any time.
  process.on('SIGINT', () => {
    process.stderr.write('\nInterrupted. Run the same command again to continue.\n');
    process.exit(130);
  });
  try {
    const { help, ...urls } = readOptions(args);
    if (help === true) process.stdout.write(helpText(parts.store.name));
    else process.stdout.write(`${await run(parts, checkUrls(urls, parts.store.name))}\n`);
  } catch (error) {
    process.stderr.write(`${plainReason(error)}\n`);
    process.exitCode = error instanceof MoveUsageError ? 2 : 1;
  }
}

/** Moves all rows, and returns what was done as text. */
async function run<Store extends StoreTypes>(
  parts: Parts<Store>,
  { path, to }: { path: string; to: string },
): Promise<string> {
  const [from, targetName] = [nameOf(`sqlite:${path}`), nameOf(to)];
  process.stderr.write(`Moving ${from} to ${targetName}\n`);
  await using open = new AsyncDisposableStack();
  const source = open.adopt(await openMigratedSource(parts, path), ({ close }) => close());
  const target = open.adopt(await openTarget(parts.store, to), ({ close }) => close());
  const start = performance.now();
  const rows = await move(source, target, targetName, progressBar(process.stderr));
  if (rows === undefined) return `An earlier run has already moved everything from ${from} to ${targetName}.`;
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  return `Moved ${rows.toLocaleString('en')} rows in ${seconds} s from ${from} to ${targetName}. Both databases are equal, and the source is now read-only. Start the servers with DATABASE_URL set to the target.`;
}

/** Migrates the source, as starting the server would, unless it is sealed. */
async function openMigratedSource<Store extends StoreTypes>({ store }: Parts<Store>, path: string) {
  const source = openSource(path);
  if (source.movedTo() !== undefined) return source;
  source.close();
  await migrateWith(store, `sqlite:${path}`);
  return openSource(path);
}

function plainReason(error: unknown): string {
  if (error instanceof MoveError || error instanceof StorageSetupError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `The move failed: ${message}. Run the same command again to continue.`;
}

/** @throws MoveUsageError that names the first mistake */
function checkUrls(options: { from?: string; to?: string }, service: string): { path: string; to: string } {
  const { to } = options;
  if (to === undefined)
    throw new MoveUsageError(`--to is missing. Use --to postgres://USER@HOST:5432/DATABASE. ${HELP}`);
  const { from, option: source } =
    options.from === undefined ? sourceOfServer(service) : { from: options.from, option: '--from' };
  for (const [option, url] of [
    [source, from],
    ['--to', to],
  ] as const) {
    const problem = databaseUrlProblem(url);
    if (problem !== undefined) throw new MoveUsageError(`${option} is not valid. ${problem}`);
  }
  if (!from.startsWith('sqlite:') || from === memoryDatabaseUrl) {
    throw new MoveUsageError(`${source} must be an embedded database: sqlite:PATH. ${HELP}`);
  }
  if (to.startsWith('sqlite:')) throw new MoveUsageError('--to must be a PostgreSQL database: postgres://…');
  const path = from.slice('sqlite:'.length);
  if (!existsSync(path)) throw new MoveUsageError(`The database ${path} does not exist. Change ${source}.`);
  return { path, to };
}

/** The database that the server uses, and where its URL comes from. */
function sourceOfServer(service: string): { from: string; option: string } {
  try {
    return { from: readDatabase(process.env, service).databaseUrl, option: 'DATABASE_URL' };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new MoveUsageError(`${error.message} Or name the source with --from.`);
  }
}

function readOptions(args: string[]) {
  try {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch {
    // The parser's message repeats the argument, which may be a URL with a password.
    throw new MoveUsageError(`The only options are --from URL and --to URL. ${HELP}`);
  }
}
