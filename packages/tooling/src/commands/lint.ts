/**
 * contract-first lint: checks openapi.yaml by the rules of .redocly.yaml, or those of what the service needs, with what the service adds.
 * With `--code`, also checks the code of the operations.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { printable } from '../common/fail.ts';
import { toolFile } from '../common/files.ts';
import { redoclyConfig } from '../common/redocly.ts';
import { readContract } from '../contract/parse.ts';
import { problemsOf } from '../effective/adopt.ts';
import { bundleContract } from '../effective/bundle.ts';
import { project, root } from '../project.ts';

const { leftOut } = project;
const whole = bundleContract([]);
const found = problemsOf(whole, readContract('openapi.yaml'), redoclyConfig());
const problems = found.filter(({ operation }) =>
  operation === undefined ? whole.isOurs : !leftOut.includes(operation),
);
for (const operation of leftOut.filter((one) => !found.some((problem) => problem.operation === one)))
  console.log(`${operation} can be served now: remove it from leftOut in contract-first.yaml.`);
for (const { operation, reason } of found)
  if (operation === undefined && !whole.isOurs) console.log(printable(`No operation depends on it: ${reason}`));
if (whole.isOurs) for (const note of whole.changes.keys()) console.log(printable(note));
const lines = problems.map(({ operation, reason }) => {
  const advice = ` To serve the others without it, add "${operation}" to leftOut in contract-first.yaml.`;
  return operation === undefined || !project.completes ? reason : reason + advice;
});
// A problem of a component is reported for each operation that uses it.
for (const line of new Set(lines)) console.error(printable(line));
if (problems.length === 0) console.log('openapi.yaml is valid, with what the service adds.');
else process.exitCode = 1;

if (process.argv.includes('--code')) {
  const rules = join(import.meta.dirname, '../checks/operations.json');
  const biome = [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'lint', '--diagnostic-level=error'];
  for (const program of [[...biome, `--config-path=${rules}`, 'packages/server'], [toolFile('checks/promises')]]) {
    if (spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status !== 0) process.exitCode = 1;
  }
}
