import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { databaseUrlProblem, defaultDatabaseUrl, memoryDatabaseUrl } from '../storage/open.ts';

const HELP = 'See: npm run --silent move -- --help';

export const helpText = `Moves an embedded database into PostgreSQL: animals, orders, keys, quotas used, bans and idempotency
records. Ids and keys stay as they are.

Usage: npm run --silent move -- --to postgres://USER@HOST:5432/DATABASE [--from ${defaultDatabaseUrl}]

  --from URL  The embedded database. Default: ${defaultDatabaseUrl}
  --to URL    An empty database of PostgreSQL 15 or newer. Its password may be in PGPASSWORD instead.

Stop the servers of the embedded database first: what they add afterwards is not moved, and while the move runs they can
only read. It may be stopped at any time: the same command continues from there. At the end the rows on both sides are
counted and compared. Then start the servers with DATABASE_URL set to the target.
Exit status: 0 moved, 1 not (nothing of the source is changed), 2 wrong arguments, 130 stopped.
`;

/** The move cannot be done. The message says what to do. */
export class MoveError extends Error {
  override name = 'MoveError';
}

/** The arguments are wrong. */
export class MoveUsageError extends MoveError {
  override name = 'MoveUsageError';
}

export type MoveCommand = { help: true } | { help: false; path: string; to: string };

/** @throws MoveUsageError that names the first thing that is wrong */
export function parseMove(args: string[]): MoveCommand {
  const { from = defaultDatabaseUrl, to, help } = readOptions(args);
  if (help === true) return { help };
  if (to === undefined) throw new MoveUsageError(`Say where to: --to postgres://USER@HOST:5432/DATABASE. ${HELP}`);
  for (const [option, url] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    const problem = databaseUrlProblem(url);
    if (problem !== undefined) throw new MoveUsageError(`${option} is not usable. ${problem}`);
  }
  if (!from.startsWith('sqlite:') || from === memoryDatabaseUrl) {
    throw new MoveUsageError('--from must be an embedded database: sqlite:PATH.');
  }
  if (to.startsWith('sqlite:')) throw new MoveUsageError('--to must be a database of PostgreSQL: postgres://…');
  const path = from.slice('sqlite:'.length);
  if (!existsSync(path)) throw new MoveUsageError(`There is no database ${path}. Change --from.`);
  return { help: false, path, to };
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
    throw new MoveUsageError(`Only --from URL and --to URL are known. ${HELP}`);
  }
}
