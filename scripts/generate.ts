/**
 * Makes packages/contract/src/generated/ from openapi.yaml.
 *
 *   npm run generate             writes what changed
 *   npm run generate -- --check  writes nothing; exit code 1 when a file is stale
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleContract } from './generate/bundle.ts';
import { generateConstants } from './generate/constants.ts';
import { generateErrorPage } from './generate/error-page.ts';
import { generateTypes } from './generate/types.ts';
import { root } from './root.ts';

const generated = join(root, 'packages/contract/src/generated');
const check = process.argv.includes('--check');

const { json, document } = bundleContract();
const files = new Map([
  [join(generated, 'openapi.json'), json],
  [join(generated, 'openapi.ts'), await generateTypes(document)],
  [join(generated, 'constants.ts'), generateConstants(document)],
  [join(root, 'docs/errors.md'), generateErrorPage(document)],
]);

mkdirSync(generated, { recursive: true });
const stale = [...files].filter(([file, text]) => read(file) !== text);
for (const [file, text] of stale) {
  if (!check) writeFileSync(file, text);
  console.log(`${check ? 'stale' : 'wrote'} ${relative(root, file)}`);
}
if (stale.length === 0) console.log(`${files.size} generated files are up to date with openapi.yaml`);
if (check && stale.length > 0) {
  console.error('Run "npm run generate" and commit the result.');
  process.exitCode = 1;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
