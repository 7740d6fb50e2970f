import { limits } from '@animal-store/contract';
import { knownColumns, newPetSchema } from './csv/columns.ts';
import { exitCodes } from './exit.ts';
import { defaults } from './options.ts';

/** The text for `--help`. */
export function helpText(): string {
  const optional = knownColumns.filter((name) => !newPetSchema.required.includes(name));
  return `Adds the animals of a CSV file to the Animal Store.

Usage: ANIMAL_STORE_KEY=... npm run --silent example:import -- FILE [options]

FILE is UTF-8 with commas as separators. Its first line names the columns in any order. Required: \
${newPetSchema.required.join(', ')}.
Optional: ${optional.join(', ')}. All rows are validated before the first one is sent.

You can interrupt the import at any time. Run the same command again to continue; no row is added twice. Each row
has an Idempotency-Key, which the API remembers for ${limits.idempotencySeconds / 3_600} hours. The journal next \
to FILE records the added
rows permanently. A row that you change counts as a new row.

Options:
  --base-url URL     The API. Default: ${defaults.baseUrl}
  --journal PATH     The journal file. Default: a file next to FILE, named after it and the API.
  --skip-bad         Add the valid rows, and list the invalid ones. You can correct and import those later.
  --resend-unsure    Send rows again even if it is unknown whether they were added.
  --patience SECONDS How long to retry while the API does not respond. Default: ${defaults.patienceSeconds}
  --help             Show this help.

Pass the API key in ANIMAL_STORE_KEY. Other users of the machine can see command-line arguments.

Exit status: ${exitCodes.done} all rows were added; ${exitCodes.rowsLeft} some rows were not added, and are listed; \
${exitCodes.notBegun} not started, because the
arguments, the key or the file are invalid; ${exitCodes.stopped} stopped early, run again; 130 or 143 interrupted.
`;
}
