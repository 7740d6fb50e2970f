/** The command-line tool for API keys: `npm run --silent keys -- --help`. */
import { hostname, userInfo } from 'node:os';
import { runCli } from './cli/run.ts';
import { systemClock } from './common/time.ts';
import { readDatabase, readMode } from './config/config.ts';

// A program such as `head` closes the pipe early, which is not an error.
process.stdout.on('error', () => {});

// Not process.exit(), which would discard output that a pipe has not accepted yet.
process.exitCode = await runCli(process.argv.slice(2), {
  readDatabase: () => readDatabase(process.env),
  redisUrl: process.env['REDIS_URL'],
  readMode: () => readMode(process.env),
  user: () => `${userName()}@${hostname()}`,
  clock: systemClock,
  output: { out: (text) => process.stdout.write(text), note: (text) => process.stderr.write(text) },
});

/** Undefined in a container whose user has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
