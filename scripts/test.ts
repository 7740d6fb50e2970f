/**
 * npm test: types, lint, generated files, the docs build and all tests but those in files named `*.ci.test.ts`, which install packages,
 * make projects, kill processes, wait for clocks, or repeat a rule at another level. `npm test -- PATTERN` runs only the tests of some
 * files. At the end it prints what was left out. With NOTHING_LEFT_OUT=1, as in CI, it runs all tests, and fails if something cannot be
 * tested on this machine.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';
import { checks, fixtures, jest, program, runSteps, type Step } from './steps.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-test-'));
const leftOutFile = join(folder, 'left-out');
const patterns = process.argv.slice(2);
const nothingLeftOut = process.env['NOTHING_LEFT_OUT'] === '1';
const isWhole = patterns.length === 0;

const docs = program('docs build', 'packages/tooling/src/commands/docs.ts');
const steps = [tests('tests', isWhole ? ['--testPathIgnorePatterns=\\.ci\\.test\\.ts$'] : patterns)];
if (isWhole && nothingLeftOut) {
  // They wait for clocks and processes for a fifth of their time, so a third worker uses the cores.
  steps.push(tests('tests that only CI runs', ['\\.ci\\.test\\.ts$', '--maxWorkers=3']));
}

// npm start keeps its database there.
const hadData = existsSync(join(root, 'data'));
const checked = isWhole ? [...(await runSteps([fixtures])), ...(await runSteps([...checks, docs], { atOnce: 2 }))] : [];
const failed = [...checked, ...(await runSteps(steps))];
const leftOutText = existsSync(leftOutFile) ? readFileSync(leftOutFile, 'utf8') : '';
const leftOut = [...new Set(leftOutText.split('\n').filter(Boolean))];
const counts = testCounts();
rmSync(folder, { recursive: true });
if (!hadData && existsSync(join(root, 'data'))) failed.push('a test wrote to data/');

if (isWhole && !nothingLeftOut) {
  leftOut.push(
    'tests that install, make projects, kill processes, wait for clocks or repeat a rule (*.ci.test.ts): NOTHING_LEFT_OUT=1 npm test',
  );
}
if (leftOut.length > 0 && nothingLeftOut) failed.push('nothing left out');
console.log(
  leftOut.length === 0 ? '\nNothing was left out.' : `\nLeft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`,
);
console.log(failed.length === 0 ? 'Everything passed.' : `Failed: ${failed.join(', ')}.`);
console.log(`tests: ${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs Jest with some parameters. It writes its result next to those of the other runs. */
function tests(name: string, parameters: string[]): Step {
  const result = join(folder, `${name}.json`);
  return {
    name,
    command: process.execPath,
    parameters: [...jest, '--json', `--outputFile=${result}`, ...parameters],
    environment: { CONTRACT_FIRST_LEFT_OUT: leftOutFile },
  };
}

function testCounts(): { passed: number; failed: number } {
  const counts = { passed: 0, failed: 0 };
  for (const name of globSync('*.json', { cwd: folder })) {
    const { numPassedTests = 0, numFailedTests = 0 } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    counts.passed += numPassedTests;
    counts.failed += numFailedTests;
  }
  return counts;
}
