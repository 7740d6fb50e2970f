import { limits } from '@animal-store/contract';
import { knownColumns } from './csv/columns.ts';
import { newPetSchema } from './csv/contract.ts';
import { exitCodes } from './exit.ts';
import { defaults } from './options.ts';

/** All that is needed to use the program. */
export function helpText(): string {
  const optional = knownColumns.filter((name) => !newPetSchema.required.includes(name));
  return `Adds the animals of a CSV file to the Animal Store.

Usage: ANIMAL_STORE_KEY=... npm run --silent example:import -- FILE [options]

FILE is UTF-8 with commas. Its first line names the columns, in any order: ${newPetSchema.required.join(', ')};
${optional.join(', ')} may be missing or empty. All rows are checked before the first one is sent.

The import may be stopped at any time (Ctrl-C, a crash, a restart of the server): start it again with the same
command, and no row is added twice. Each row has its own Idempotency-Key, which the API knows for \
${limits.idempotencySeconds / 3_600} hours;
the journal beside FILE knows for good which rows are in the store. A row that was changed since counts as new.

Options:
  --base-url URL     The API. Default: ${defaults.baseUrl}
  --journal PATH     The journal. Default: FILE, the address of the API, and .journal
  --skip-bad         Add the good rows although others are bad. They are named, and can be mended and imported later.
  --resend-unsure    Send again those rows of which nobody knows any more whether they were added.
  --patience SECONDS How long to go on while nobody answers. Default: ${defaults.patienceSeconds}
  --help             Show this.

The API key stands in ANIMAL_STORE_KEY, and not in the command, which other users of a machine can see.

Exit status: ${exitCodes.done} every row is in the store; ${exitCodes.rowsLeft} some are not, each is named; \
${exitCodes.notBegun} nothing was begun: the
arguments, the key or the file are wrong; ${exitCodes.stopped} stopped in the middle, start again; 130 and 143 interrupted.
`;
}
