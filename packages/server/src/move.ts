/** Moves an embedded database into PostgreSQL: `npm run --silent move -- --help`. */
import { helpText, MoveError, MoveUsageError, parseMove } from './move/arguments.ts';
import { openSource, openTarget } from './move/databases.ts';
import { move, progressBar } from './move/move.ts';
import { openStorage } from './operations/storage/index.ts';
import { StorageSetupError } from './storage/storage.ts';

// A batch is written as a whole or not at all, so the move may stop at any time.
process.on('SIGINT', () => {
  process.stderr.write('\nStopped. The same command continues from there.\n');
  process.exit(130);
});

try {
  const command = parseMove(process.argv.slice(2));
  if (command.help) process.stdout.write(helpText);
  else process.stdout.write(`${await run(command)}\n`);
} catch (error) {
  process.stderr.write(`${plainReason(error)}\n`);
  process.exitCode = error instanceof MoveUsageError ? 2 : 1;
}

async function run({ path, to }: { path: string; to: string }): Promise<string> {
  // Brings its tables up to date, as a start does.
  await (await openStorage(`sqlite:${path}`)).close();
  const source = openSource(path);
  try {
    const target = await openTarget(to);
    try {
      const start = performance.now();
      const rows = await move(source, target, progressBar(process.stderr));
      if (rows === undefined) return 'Everything had been moved before; nothing was done.';
      const seconds = ((performance.now() - start) / 1_000).toFixed(1);
      return `Moved: ${rows.toLocaleString('en')} rows in ${seconds} s, the same on both sides. Start the servers with DATABASE_URL set to the target.`;
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

function plainReason(error: unknown): string {
  if (error instanceof MoveError || error instanceof StorageSetupError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return `The move stopped: ${message}. The same command continues from there.`;
}
