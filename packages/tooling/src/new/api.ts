import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { printable } from '../common/fail.ts';
import { writeWhole } from '../common/files.ts';
import { type Adopted, adopt, counted } from '../effective/adopt.ts';
import { apiFiles } from './api-files.ts';
import { machineryFor } from './machinery.ts';

/**
 * Writes a project that serves a contract: the contract, a server without operations of its own, a client, a guide, tests and CI.
 *
 * @param folder a new or an empty folder
 * @returns what the service makes of the contract
 * @throws Error if the contract cannot be served, or the folder is not empty; then nothing is written
 */
export function newApi(folder: string, contract: string, name: string, isFetching = false): Adopted {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `"${name}" is not a valid name for a project. Use lower-case words and hyphens, such as tree-nursery: --name NAME.`,
    );
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(`${folder} is not empty. Pass a new or an empty folder. Nothing was written.`);
  }
  const adopted = adopt(contract, name, isFetching);
  const parent = dirname(folder);
  mkdirSync(parent, { recursive: true });
  // Appears as a whole or not at all.
  const made = mkdtempSync(join(parent, '.new-api-'));
  try {
    const packages = machineryFor(made);
    const files = apiFiles({ name, adopted, contract: contractText(contract, adopted), packages });
    for (const [file, text] of Object.entries(files)) writeWhole(join(made, file), text);
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
  return isWhole ? text : JSON.stringify(bundled);
}

/** The report of an adoption, for people. */
export function reportText({ title, served, asWritten, refused, faults, changes }: Adopted): string {
  const inOneLine = (text: string) => printable(text.replaceAll(/\s+/g, ' '));
  const lines = (one: readonly string[]) => one.map((line) => `  ${inOneLine(line)}`);
  return [
    `${inOneLine(title)}: ${served.length} of ${served.length + refused.length} operations are served, ${asWritten.length} of them as written.`,
    '',
    'Served:',
    ...lines(served),
    ...(refused.length === 0 ? [] : ['', 'Not served:']),
    ...lines(refused.map(({ operation, reason }) => `${operation}  ${reason}`)),
    ...(faults.length === 0 ? [] : ['', 'Not valid, but no operation depends on it:']),
    ...lines(faults),
    ...(changes.length === 0 ? [] : ['', 'Notes:']),
    ...lines(changes.map(({ change, operations }) => counted(change, operations))),
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
