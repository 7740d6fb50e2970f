/** npm run adopt -- FILE: what the service would make of a contract. Writes nothing. */
import { parseArgs } from 'node:util';
import { fail } from '../common/fail.ts';
import { adopt } from '../effective/adopt.ts';
import { reportText } from '../new/api.ts';

const help = `npm run adopt -- FILE [--fetch]

Says which operations of an OpenAPI contract (3.1, 3.0 or 2.0) the service can serve, which not and why, and what it adds or replaces.
Writes nothing, and reads only files in the folder of FILE; with --fetch, also URLs. To make a project, see: npm run new -- --help

Exit status: 0 some operations are served, 1 none, or the contract cannot be read.`;

try {
  const options = { help: { type: 'boolean', short: 'h' }, fetch: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [file, ...rest] = positionals;
  if (values.help === true) console.log(help);
  else if (file === undefined || rest.length > 0) throw new Error(help);
  else console.log(reportText(adopt(file, undefined, values.fetch)));
} catch (error) {
  fail(error);
}
