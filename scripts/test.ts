/**
 * npm test: types, lint, drift, the docs build and all tests except the longest. `npm test -- PATTERN` runs only the
 * tests of some files. At the end it prints what was left out. With NOTHING_LEFT_OUT=1 it runs the longest tests too, and
 * fails if something cannot be tested on this machine.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longFiles } from '../packages/tooling/test/long-files.ts';
import { root } from './root.ts';
import { checks, runSteps, type Step } from './steps.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-test-'));
const leftOutFile = join(folder, 'left-out');
const resultFile = join(folder, 'result.json');
const patterns = process.argv.slice(2);
const nothingLeftOut = process.env['NOTHING_LEFT_OUT'] === '1';
const leavesOutLongFiles = !nothingLeftOut && patterns.length === 0;

const steps: Step[] = [
  { name: 'docs build', command: process.execPath, parameters: ['packages/tooling/src/commands/docs.ts'] },
  {
    name: 'tests',
    command: process.execPath,
    parameters: [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${resultFile}`,
      ...(leavesOutLongFiles ? longFiles.map((file) => `--testPathIgnorePatterns=/${file}$`) : []),
      ...patterns,
    ],
    environment: { CONTRACT_FIRST_LEFT_OUT: leftOutFile },
  },
];
if (nothingLeftOut) {
  steps.push({
    name: 'client without openapi-fetch',
    command: process.execPath,
    // The two that wait for minutes test what never sees openapi-fetch. `npm run plain-fetch` runs them, too.
    parameters: [
      'scripts/plain-fetch.ts',
      ...['packages/client-core', 'packages/client'],
      '--testPathIgnorePatterns=/packages/client/test/(real-processes|tabs)\\.test\\.ts$',
    ],
  });
}

// npm start keeps its database there.
const hadData = existsSync(join(root, 'data'));
const failed = runSteps(patterns.length === 0 ? [...checks, ...steps] : steps);
const leftOut = [...new Set(read(leftOutFile).split('\n').filter(Boolean))];
const counts = testCounts(read(resultFile));
rmSync(folder, { recursive: true });
if (!hadData && existsSync(join(root, 'data'))) failed.push('a test wrote to data/');

if (leavesOutLongFiles) {
  leftOut.push(`the ${longFiles.length} longest test files; to run them, as CI does: NOTHING_LEFT_OUT=1 npm test`);
  leftOut.push('the tests of the client without openapi-fetch; to run them: npm run plain-fetch');
}
if (leftOut.length > 0 && nothingLeftOut) failed.push('nothing left out');
console.log(
  leftOut.length === 0 ? '\nNothing was left out.' : `\nLeft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`,
);
console.log(failed.length === 0 ? 'Everything passed.' : `Failed: ${failed.join(', ')}.`);
console.log(`tests: ${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function testCounts(result: string): { passed: number; failed: number } {
  const { numPassedTests = 0, numFailedTests = 0 } = result === '' ? {} : JSON.parse(result);
  return { passed: numPassedTests, failed: numFailedTests };
}
