/** npm run differential: compares the server on SQLite and on PostgreSQL in any number of random sequences. */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../../testing/src/postgres/server.ts';
import { checkEngines, differentialFailureText } from './check.ts';

const help = `npm run differential -- [OPTION ...]

Sends the same random sequences of calls to a server on SQLite and to one on PostgreSQL, with one clock that moves over minutes,
midnights and expiries, restarts, bursts, changes of keys, and faults in the databases. Compares all responses, and at each restart
and at the end everything that is stored. If the engines differ, exits with 1 and prints the sequence, shrunk as far as possible.
Starts its own PostgreSQL.

  --runs N     number of sequences (default: 100; with --minutes: no limit)
  --minutes N  stop after this time
  --only N     run only the sequence with this number
  --seed N     repeat the sequences of an earlier run, which printed its seed (default: random)`;

type Options = { runs: number; first?: number; seed: number; minutes: number | undefined };

try {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string' },
      minutes: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) console.log(help);
  else {
    const minutes = values.minutes === undefined ? undefined : wholeNumber('minutes', values.minutes);
    const seed = wholeNumber('seed', values.seed);
    const runs = values.runs ?? (minutes === undefined ? '100' : '999999999');
    if (values.only === undefined) await run({ runs: wholeNumber('runs', runs), seed, minutes });
    else await run({ runs: 1, first: wholeNumber('only', values.only), seed, minutes });
  }
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`${error.stack}\n\n${help}`);
  process.exitCode = 1;
}

async function run({ minutes, ...options }: Options): Promise<void> {
  console.log(`seed ${options.seed}`);
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const postgres = await startPostgres();
  let printedAt = 0;
  let sequences = 0;
  try {
    const { seen, failure } = await checkEngines(postgres, {
      ...options,
      isOver: () => minutes !== undefined && seconds() > minutes * 60,
      onPlayed: (number) => {
        sequences += 1;
        if (seconds() - printedAt < 30) return;
        printedAt = seconds();
        console.log(`${Math.round(printedAt)} s: sequence ${number}`);
      },
    });
    for (const [name, count] of [...seen].sort()) console.log(`${name}: ${count}`);
    console.log(`${sequences} sequences, ${failure === undefined ? 'the engines agree' : 'the engines differ'}`);
    if (failure === undefined) return;
    console.error(`\n${differentialFailureText(failure)}`);
    process.exitCode = 1;
  } finally {
    await postgres.remove();
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number greater than 0, not "${text}".`);
}
