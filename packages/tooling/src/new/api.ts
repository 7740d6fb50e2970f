import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { dig } from '../common/json.ts';
import { type Adopted, adopt } from '../effective/adopt.ts';
import { root } from '../project.ts';
import { packPackages } from '../release/packages.ts';
import { apiFiles } from './api-files.ts';

/** The packages that serve every API, by folder. */
const machinery = ['service', 'client-core', 'tooling', 'testing'] as const;

/** What the project installs besides the machinery, at the versions that this repository uses. */
const libraries = [
  '@jest/globals',
  '@swc/core',
  '@swc/jest',
  '@types/node',
  '@types/express',
  'express',
  'jest',
  'node',
  'pino',
  // For the client.
  '@tanstack/react-query',
  'msw',
  'react',
];

/**
 * Writes a project that serves a contract: the contract, the packages that it needs as tarballs, a server without operations of its own,
 * a client, guides, tests and CI.
 *
 * @param folder a new or an empty folder
 * @returns what the service makes of the contract
 * @throws Error if the contract cannot be served, or the folder is not empty; then nothing is written
 */
export function newApi(folder: string, contract: string, name: string): Adopted {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `"${name}" is not a valid name for a project. Use lower-case words and hyphens, such as tree-nursery: --name NAME.`,
    );
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(`${folder} is not empty. Pass a new or an empty folder. Nothing was written.`);
  }
  if (!existsSync(join(root, 'packages/service'))) {
    throw new Error('This project does not contain the packages of the service. Run the command in their repository.');
  }
  const adopted = adopt(contract, name);
  const parent = dirname(folder);
  mkdirSync(parent, { recursive: true });
  // Appears as a whole or not at all.
  const made = mkdtempSync(join(parent, '.new-api-'));
  try {
    const tarballs = packPackages(machinery, join(made, 'vendor')).map((file) => `file:vendor/${basename(file)}`);
    const files = apiFiles({
      name,
      adopted,
      contract: contractText(contract, adopted),
      machinery: Object.fromEntries(machinery.map((one, index) => [nameOf(one), tarballs[index] ?? ''])),
      libraries: versionsOf(),
    });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(made, file)), { recursive: true });
      writeFileSync(join(made, file), text);
    }
    chmodSync(made, 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
  return adopted;
}

/** The contract as it was written, or in one file if it refers to others. */
function contractText(file: string, { bundled }: Adopted): string {
  const text = readFileSync(file, 'utf8');
  const isWhole = !/\$ref["']?\s*:\s*["']?[^#"'\s]/.test(text);
  return isWhole ? text : bundled;
}

function nameOf(folder: string): string {
  return String(dig(JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')), 'name'));
}

/** The versions of the libraries. */
function versionsOf(): Record<string, string> {
  const workspace: unknown = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  const versions = libraries.map((name) => [name, String(dig(workspace, 'catalog', name))]);
  // The tools need the JavaScript compiler.
  return { ...Object.fromEntries(versions), typescript: String(dig(workspace, 'catalogs', 'generator', 'typescript')) };
}

/** The report of an adoption, for people. */
export function reportText({ title, served, refused, changes }: Adopted): string {
  const lines = (one: readonly string[]) => one.map((line) => `  ${line}`);
  const counted = ({ change, operations }: Adopted['changes'][number]) =>
    operations.length === 0
      ? change
      : `${change} (${operations.length}: ${operations.slice(0, 3).join(', ')}${operations.length > 3 ? ', …' : ''})`;
  return [
    `${title}: ${served.length} of ${served.length + refused.length} operations are served.`,
    '',
    'Served:',
    ...lines(served),
    ...(refused.length === 0 ? [] : ['', 'Not served:']),
    ...lines(refused.map(({ operation, reason }) => `${operation}  ${reason}`)),
    ...(changes.length === 0 ? [] : ['', 'Added or replaced:']),
    ...lines(changes.map(counted)),
  ].join('\n');
}

/** The steps after the project was written. */
export function nextSteps(folder: string, { served }: Adopted): string {
  const inside = relative(process.cwd(), folder);
  const shown = inside.startsWith('..') ? folder : inside;
  return `
wrote ${shown}

Next steps:
  1. cd ${shown}
  2. npm start          serves ${served.length} operations, which answer the examples of the contract
  3. npm test           calls each of them
  4. npm run new        lists the operations without code; npm run new -- operation ID begins one`;
}
