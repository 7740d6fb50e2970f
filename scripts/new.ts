/** npm run new: writes skeletons of a new operation, its test and its storage from the contract, or of a migration. */
import { parseArgs } from 'node:util';

const help = `npm run new                                          lists the operations of openapi.yaml that have no file yet
npm run new -- operation NAME ... [--storage METHOD]  writes their files
npm run new -- migration NAME                         writes the next migration of both engines

For each operationId, from the contract:

  packages/server/src/operations/NAME.ts        its signature; it throws until it is written
  packages/server/src/operations/NAME.test.ts   one describe per documented status, failing until then
  packages/server/src/operations/index.ts       gets its line
  packages/server/test/model/actions/NAME.ts    the call and the prediction of the model test, failing until then

--storage METHOD adds a method to store.ts, sqlite.ts and postgres.ts in operations/storage, which throws until it is written,
and a test of it to the suite of the operation's tag.

Brings the generated files up to date first, and prints what is left to do. Never overwrites a file.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, storage: { type: 'string' } },
  });
  const [kind, ...names] = positionals;
  const { storage } = values;
  if (values.help === true) console.log(help);
  else if (kind === undefined && storage === undefined) await listMissing();
  else if (kind === 'operation' && names.length > 0 && (storage === undefined || names.length === 1)) {
    await writeOperations(names, storage);
  } else if (kind === 'migration' && names.length === 1 && storage === undefined) await writeMigration(names);
  else throw new Error(help);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function listMissing(): Promise<void> {
  const { missingOperations } = await import('./new/new.ts');
  console.log(missingOperations());
}

async function writeOperations(names: readonly string[], storage: string | undefined): Promise<void> {
  const { newOperation } = await import('./new/new.ts');
  for (const name of names) console.log(await newOperation(name, storage));
}

async function writeMigration([name = '']: readonly string[]): Promise<void> {
  const { newMigrationFiles } = await import('./new/new.ts');
  console.log(newMigrationFiles(name));
}
