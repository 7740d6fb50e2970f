/** npm run new: writes skeletons of a new operation and its test from the contract, of a migration, or of a whole project. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from '../common/fail.ts';
import { root } from '../project.ts';

/** What a resource is depends on the API, so its project has the command. */
const resource = join(root, 'packages/server/resource/new.ts');

const help = `npm run new                          lists the operations of openapi.yaml that have no file yet
npm run new -- resource NAME [PLURAL]  creates a resource with five operations, from packages/server/resource
npm run new -- operation NAME ...    creates the files of operations
npm run new -- migration NAME        creates the next migration for both engines
npm run new -- api FOLDER --contract FILE [--name NAME] [--fetch]  writes a project that serves another contract into a new folder

For each operation, the command updates the generated files and then creates or changes:

  packages/server/src/operations/NAME.ts        the operation, which throws until you write it
  packages/server/src/operations/NAME.test.ts   one describe per documented status
  packages/server/src/operations/index.ts       registers the operation

The tests fail until you write the operation.

A new project gets the contract as it is, the packages that it needs, a server whose operations answer the examples of the contract,
a client, a guide, tests and CI. NAME is its name, such as tree-nursery (default: that of FOLDER). FILE may refer to files in its folder,
and with --fetch also to URLs. To see what is served without
writing anything, run: npm run adopt -- FILE

No other command overwrites a file. At the end, it prints the remaining steps.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      contract: { type: 'string' },
      name: { type: 'string' },
      fetch: { type: 'boolean' },
    },
  });
  const [kind, ...names] = positionals;
  const { contract } = values;
  const [first] = names;
  const files = () => import('../new/new.ts');
  if (values.help === true) console.log(help);
  else if (kind === undefined) console.log((await files()).missingOperations());
  else if (kind === 'resource' && existsSync(resource))
    process.exitCode = spawnSync(process.execPath, [resource, ...names], { stdio: 'inherit' }).status ?? 1;
  else if (kind === 'operation' && first !== undefined) {
    for (const each of names) console.log(await (await files()).newOperation(each));
    console.log((await files()).nextSteps(names));
  } else if (kind === 'migration' && first !== undefined && names.length === 1)
    console.log((await files()).newMigrationFiles(first));
  else if (kind === 'api' && names.length === 1 && contract !== undefined) await writeApi(names, contract, values);
  else if (kind === 'api') throw new Error('Pass a new folder and your contract: FOLDER --contract FILE [--name NAME]');
  else throw new Error(`These arguments are not among the following: ${positionals.join(' ')}\n\n${help}`);
} catch (error) {
  fail(error);
}

async function writeApi(
  [given = '']: readonly string[],
  contract: string,
  { name, fetch }: { name?: string; fetch?: boolean },
): Promise<void> {
  const { newApi, nextSteps, reportText } = await import('../new/api.ts');
  const folder = resolve(given);
  const adopted = newApi(folder, contract, name ?? basename(folder), fetch);
  console.log(`${reportText(adopted)}\n${nextSteps(folder, adopted)}`);
}
