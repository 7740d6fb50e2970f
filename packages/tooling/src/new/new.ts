import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { printable } from '../common/fail.ts';
import { writeChanged, writeWhole } from '../common/files.ts';
import { releasedVersions } from '../diff/releases.ts';
import { bundleContract } from '../effective/bundle.ts';
import { root } from '../project.ts';
import { factsOf, type OperationFacts } from './facts.ts';
import { operationFile, testFile, withOperation } from './templates.ts';

const folder = join(root, 'packages/server/src/operations');
const registry = join(folder, 'index.ts');

/** The operations of the contract without a file, and the command that adds it. */
export function missingOperations(): string {
  const missing = factsOf(bundleContract().document).filter(({ id }) => !existsSync(join(folder, `${id}.ts`)));
  const [first] = missing;
  if (first === undefined) {
    return 'Every operation in openapi.yaml has a file. Add a new operation to openapi.yaml first; see CONTRIBUTING.md, step 1.';
  }
  return `These operations in openapi.yaml have no file in ${fromRoot(folder)} yet:

${list(missing)}

To create the files of one, run: npm run new -- operation ${first.id}`;
}

/**
 * Writes the file of an operation and its test, registers the operation, and updates the generated files.
 *
 * @returns one line for each change
 * @throws Error if the contract has no such operation, or if one of the files already exists
 */
export async function newOperation(id: string): Promise<string> {
  const bundle = bundleContract();
  const all = factsOf(bundle.document);
  const operation = all.find((facts) => facts.id === id);
  if (operation === undefined)
    throw new Error(`openapi.yaml has no operation "${id}". To list those without a file, run: npm run new`);
  const file = join(folder, `${id}.ts`);
  const test = join(folder, `${id}.test.ts`);
  const taken = [file, test].filter((path) => existsSync(path));
  if (taken.length > 0)
    throw new Error(`These files already exist: ${taken.map(fromRoot).join(', ')}. Nothing was written.`);
  if (!existsSync(registry))
    throw new Error(`${fromRoot(registry)} is missing, which registers the operations. Nothing was written.`);
  const order = all.map((facts) => facts.id);
  const registered = withOperation(readFileSync(registry, 'utf8'), id, order);

  // Imported here because it loads the TypeScript compiler, which takes a second.
  const { generatedFiles } = await import('../generate/files.ts');
  const generated = [...(await generatedFiles(bundle))].filter(([path, text]) => writeChanged(path, text));
  const written: [string, string][] = [
    [file, operationFile(operation)],
    [test, testFile(operation)],
    [registry, registered],
  ];
  for (const [path, text] of written) writeWhole(path, text);
  format(written.map(([path]) => path));
  return [
    ...[...generated.map(([path]) => path), file, test].map((path) => `wrote ${fromRoot(path)}`),
    `added ${id} to ${fromRoot(registry)}`,
  ].join('\n');
}

/** The steps for new operations that only a developer can do, as a numbered list. */
export function nextSteps(ids: readonly string[]): string {
  const { version } = bundleContract().document.info;
  const steps = [
    `write ${ids.map((id) => `${id}.ts`).join(', ')} in ${fromRoot(folder)}`,
    `complete ${ids.map((id) => `${id}.test.ts`).join(', ')}: npm run jest -- ${ids.join(' ')}`,
    `if you need a new method of the storage, write it in ${fromRoot(folder)}/storage`,
    `if tables change: npm run new -- migration NAME (move and backup include every table automatically)`,
    ...(releasedVersions().includes(version)
      ? [`raise info.version in openapi.yaml: ${version} is released (npm run diff prints the version to use)`]
      : []),
    `npm run check, then npm test`,
  ];
  return ['\nNext steps:', ...steps.map((step, index) => `${String(index + 1).padStart(3)}. ${step}`)].join('\n');
}

/**
 * Writes the next migration of both engines. Neither can run until its statements are written, because a migration that has run
 * never runs again.
 */
export function newMigrationFiles(name: string): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `"${name}" is not a valid name for a migration. Use lower-case words and hyphens, such as notes-by-folder.`,
    );
  }
  const folders = ['sqlite', 'postgres'].map((engine) => join(folder, 'storage/migrations', engine));
  const numbers = folders.flatMap((one) => readdirSync(one).map((file) => Number.parseInt(file, 10) || 0));
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0');
  const written = folders.map((one) => {
    const file = join(one, `${number}-${name}.sql`);
    writeFileSync(file, migrationText(one.endsWith('postgres')), { flag: 'wx' });
    return `wrote ${fromRoot(file)}`;
  });
  return [
    ...written,
    'Replace the last line of each file; until then, they cannot run. npm run dev runs them as soon as you save.',
  ].join('\n');
}

function migrationText(isPostgres: boolean): string {
  const timeout = `-- Fails instead of blocking all callers behind a pg_dump; the supervisor restarts the server.
SET LOCAL lock_timeout = '500ms';

`;
  const index = `-- Write indexes as CREATE INDEX IF NOT EXISTS name ON table (columns): operators can then create them on large tables before.
`;
  return `${isPostgres ? timeout : ''}-- Explain here why the tables change, and replace the next line with the statements.
${isPostgres ? index : ''}this_migration_is_not_written_yet;
`;
}

function list(operations: readonly OperationFacts[]): string {
  const width = Math.max(...operations.map(({ id }) => id.length));
  return operations
    .map(({ id, method, path, summary }) => printable(`  ${id.padEnd(width)}  ${method} ${path}  ${summary}`))
    .join('\n');
}

/** Formats files with Biome, if the project has it. */
function format(files: string[]): void {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  if (!existsSync(biome)) return;
  const { status, stderr } = spawnSync(process.execPath, [biome, 'check', '--write', ...files], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The files were written, but Biome reports problems in them:\n${stderr}`);
}

function fromRoot(path: string): string {
  return relative(root, path);
}
