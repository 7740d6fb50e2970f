/** npm run model: compares servers with a simple model in any number of sequences. */
import { parseArgs } from 'node:util';
import { checkModel } from './run/check.ts';
import { modelFailureText } from './run/failure.ts';

const help = `npm run model -- [OPTION ...]

Sends random sequences of calls with two API keys (create, list, page, get, order, complete, cancel, repeat with an
Idempotency-Key), including changes of the clock and of the keys, and restarts, to a server with its own database and to a
model in memory. If a response or the stored number of calls differs from the model's, exits with 1 and prints the sequence,
shrunk as far as possible, as curl commands.

  --runs N   number of sequences (default: 1000)
  --only N   run only the sequence with this number
  --seed N   repeat the sequences of an earlier run, which printed its seed (default: random)`;

try {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) console.log(help);
  else await run(optionsOf(values.only, values.runs), wholeNumber('seed', values.seed));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`${error.message}\n\n${help}`);
  process.exitCode = 1;
}

function optionsOf(only: string | undefined, runs: string): { runs: number; first?: number } {
  return only === undefined ? { runs: wholeNumber('runs', runs) } : { runs: 1, first: wholeNumber('only', only) };
}

async function run(options: { runs: number; first?: number }, seed: number): Promise<void> {
  console.log(`seed ${seed}`);
  const { runs: played, responses, failure } = await checkModel({ ...options, seed });
  for (const [name, count] of [...responses].sort()) console.log(`${name}: ${count}`);
  console.log(`${played} sequences, ${failure === undefined ? 'all match the model' : 'the last one differs'}`);
  if (failure === undefined) return;
  console.error(`\n${modelFailureText(failure)}`);
  process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number greater than 0, not "${text}".`);
}
