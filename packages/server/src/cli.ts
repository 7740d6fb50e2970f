/** The command line of keys: `npm run --silent keys -- --help`. */
import { runCli } from './cli/run.ts';
import { systemClock } from './common/time.ts';

// A reader that wants only the first lines closes the pipe, which is no error.
process.stdout.on('error', () => {});

// Not exit(), because a pipe may not have taken everything yet.
process.exitCode = await runCli(process.argv.slice(2), {
  databaseUrl: process.env['DATABASE_URL'],
  clock: systemClock,
  output: { out: (text) => process.stdout.write(text), note: (text) => process.stderr.write(text) },
});
