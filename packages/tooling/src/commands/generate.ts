/**
 * Generates packages/contract/src/generated/, packages/client/src/generated/ and docs/errors.md from openapi.yaml.
 *
 *   npm run generate             writes what changed
 *   npm run generate -- --check  writes nothing; exit code 1 when a file is stale
 */
import { relative } from 'node:path';
import { readIfThere, writeChanged } from '../common/files.ts';
import { bundleContract } from '../effective/bundle.ts';
import { generatedFiles } from '../generate/files.ts';
import { root } from '../project.ts';

const check = process.argv.includes('--check');
const files = await generatedFiles(bundleContract());

const stale = [...files].filter(([file, text]) => readIfThere(file) !== text);
for (const [file, text] of stale) {
  if (!check) writeChanged(file, text);
  console.log(`${check ? 'stale' : 'wrote'} ${relative(root, file)}`);
}
if (stale.length === 0) console.log(`${files.size} generated files are up to date with openapi.yaml`);
if (check && stale.length > 0) {
  console.error('Run "npm run generate", and commit the result.');
  process.exitCode = 1;
}
