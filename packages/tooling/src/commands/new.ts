/** npm run new: writes skeletons of a new operation and its test from the contract, of a migration, or of a whole project. */

import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from '../common/fail.ts';

/** The kind of a whole project, and the other kinds. */
const whole = 'api';
const others = ['operation', 'migration'];

const help = `npm run new                          lists the operations of openapi.yaml that have no file yet
npm run new -- operation NAME ...    creates the files of operations
npm run new -- migration NAME        creates the next migration for both engines
npm run new -- ${whole} FOLDER --contract FILE [--name NAME]  writes a project that serves another contract into a new folder

For each operation, the command updates the generated files and then creates or changes:

  packages/server/src/operations/NAME.ts        the operation, which throws until you write it
  packages/server/src/operations/NAME.test.ts   one describe per documented status
  packages/server/src/operations/index.ts       registers the operation
  packages/server/test/model/actions/NAME.ts    the call and the predicted response for the model test, if the project has one

The tests fail until you write the operation.

A new project gets the contract as it is, the packages that it needs, a server whose operations answer the examples of the contract,
a client, guides, tests and CI. NAME is its name, such as tree-nursery (default: that of FOLDER). To see what is served without
writing anything, run: npm run adopt -- FILE

No other command overwrites a file. At the end, it prints the remaining steps.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      contract: { type: 'string' },
      name: { type: 'string' },
    },
  });
  const [kind, ...names] = positionals;
  const { contract, name } = values;
  if (values.help === true) console.log(help);
  else if (kind === undefined) await listMissing();
  else if (kind === 'operation' && names.length > 0) await writeOperations(names);
  else if (kind === 'migration' && names.length === 1) await writeMigration(names);
  else if (kind === whole && names.length === 1 && contract !== undefined) await writeApi(names, contract, name);
  else throw new Error(`${mistake(kind, names.length, contract)}\n\n${help}`);
} catch (error) {
  fail(error);
}

/** What is wrong with the arguments. */
function mistake(kind: string, count: number, contract: string | undefined): string {
  if (![...others, whole].includes(kind)) return `There is nothing called ${kind} to create.`;
  if (count === 0) return kind === whole ? 'Name the folder of the project.' : `Name the ${kind}.`;
  if (kind === whole && contract === undefined) return 'Name the contract: --contract FILE.';
  return kind === whole ? 'Name one folder.' : `A ${kind} has one name.`;
}

async function listMissing(): Promise<void> {
  const { missingOperations } = await import('../new/new.ts');
  console.log(missingOperations());
}

async function writeOperations(names: readonly string[]): Promise<void> {
  const { newOperation } = await import('../new/new.ts');
  for (const name of names) console.log(await newOperation(name));
}

async function writeMigration([name = '']: readonly string[]): Promise<void> {
  const { newMigrationFiles } = await import('../new/new.ts');
  console.log(newMigrationFiles(name));
}

async function writeApi([given = '']: readonly string[], contract: string, name: string | undefined): Promise<void> {
  const { newApi, nextSteps, reportText } = await import('../new/api.ts');
  const folder = resolve(given);
  const adopted = newApi(folder, contract, name ?? basename(folder));
  console.log(`${reportText(adopted)}\n${nextSteps(folder, adopted)}`);
}
