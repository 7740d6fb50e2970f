/** Adds the animals of a CSV file: `npm run --silent example:import -- --help`. The only file that touches `process`. */
import { constants } from 'node:os';
import { ImportError } from './exit.ts';
import { helpText } from './help.ts';
import { importFile } from './import-file.ts';
import { readSettings } from './options.ts';

const interruption = new AbortController();
let interrupted: 'SIGINT' | 'SIGTERM' | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // One press of Ctrl-C may arrive twice, from the terminal and from npm, so a second signal changes nothing.
  process.on(signal, () => {
    interrupted = signal;
    interruption.abort();
  });
}

process.exitCode = await run().catch((error: unknown) => {
  if (!(error instanceof ImportError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return error.exitCode;
});
if (interrupted !== undefined) process.exitCode = 128 + constants.signals[interrupted];

async function run(): Promise<number> {
  const settings = readSettings(process.argv.slice(2), process.env);
  const out = (text: string) => void process.stdout.write(text);
  if (settings !== 'help') {
    return importFile(settings, { out, notes: process.stderr, clock: Date.now, signal: interruption.signal });
  }
  out(helpText());
  return 0;
}
