/** npm run new: writes the skeleton of a new operation and of its test from the contract. */
import { parseArgs } from 'node:util';

const help = `npm run new                        lists the operations of openapi.yaml that have no file yet
npm run new -- operation NAME ...  writes their files

For each operationId, from the contract:

  packages/server/src/operations/NAME.ts        its signature; it throws until it is written
  packages/server/src/operations/NAME.test.ts   one describe per documented status, failing until then
  packages/server/src/operations/index.ts       gets its line

Brings the generated files up to date first. Never overwrites a file.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const [kind, ...names] = positionals;
  const isUnderstood = kind === undefined || (kind === 'operation' && names.length > 0);
  if (values.help === true) console.log(help);
  else if (isUnderstood) await writeOrList(names);
  else throw new Error(help);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function writeOrList(names: readonly string[]): Promise<void> {
  const { missingOperations, newOperation } = await import('./new/new.ts');
  if (names.length === 0) console.log(missingOperations());
  for (const name of names) console.log(await newOperation(name));
}
