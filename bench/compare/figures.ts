/**
 * Writes the figures of the recorded run into docs/. `npm run bench -- --record` does this, too.
 *
 *   node bench/compare/figures.ts           writes what changed
 *   node bench/compare/figures.ts --check   writes nothing; exit code 1 if a text has the figures of another run
 */
import { relative } from 'node:path';
import { readIfThere, writeChanged } from '../../packages/tooling/src/common/write-changed.ts';
import { root } from '../../packages/tooling/src/project.ts';
import { recordedRuns, textsWith } from './texts.ts';

const check = process.argv.includes('--check');
const texts = textsWith(recordedRuns());
const stale = [...texts].filter(([file, text]) => readIfThere(file) !== text);
for (const [file, text] of stale) {
  if (!check) writeChanged(file, text);
  console.log(`${check ? 'stale' : 'wrote'} ${relative(root, file)}`);
}
if (stale.length === 0) console.log(`${texts.size} texts have the figures of the recorded run`);
if (check && stale.length > 0) {
  console.error('Run "node bench/compare/figures.ts", and commit the result.');
  process.exitCode = 1;
}
