import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pageQuota } from '../../service/src/pages/pages.ts';
import { concurrency } from '../../service/src/rate-limit/concurrency.ts';
import { root } from '../../tooling/src/project.ts';
import { filesUsedBy, testTitlesIn } from './test-titles.ts';

const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| promise'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** The test files that Jest runs. */
const [, pattern = ''] =
  /testMatch: \['<rootDir>\/([^']+)'\]/.exec(readFileSync(join(root, 'jest.config.js'), 'utf8')) ?? [];
const found = globSync(pattern, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) });
const testFiles = new Set(found.map((file) => join(root, file)));

/** The files that each file names, by path. Cached, because many tests share the harness. */
const known = new Map<string, readonly string[]>();

function find(file: string): string {
  return (
    [join(root, 'packages/server'), join(root, 'packages/service'), root]
      .map((folder) => join(folder, file))
      .find(existsSync) ?? `no ${file}`
  );
}

test('docs/reliability.md has rows of five cells', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cells) => cells.length !== 7)).toEqual([]);
});

test('CI runs all test files', () => {
  expect(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')).toMatch(/^ +- run: \.ci\/run$/m);
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^NOTHING_LEFT_OUT=1 npm test$/m);
});

test.each(rows.map(([, promise = '', , , named = '', code = '']) => ({ promise, named, code })))(
  '$promise: its test runs, expects something, and uses the code that it protects',
  ({ named, code }) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? [];
    const path = find(file);
    expect({ path, isRun: testFiles.has(path) }).toEqual({ path, isRun: true });
    expect([...testTitlesIn(path)]).toContain(title);
    const protectedFile = find(/^`([^`]+)`$/.exec(code)?.[1] ?? '');
    expect({ code, isUsed: filesUsedBy(path, known).has(protectedFile) }).toEqual({ code, isUsed: true });
  },
);

test('docs/reliability.md states the limits of the server', () => {
  expect(page).toContain(`| ${concurrency.perKey} operations, then 503`);
  expect(page).toContain(`| ${concurrency.writes} writes, ${concurrency.total.toLocaleString('en')} reads |`);
  expect(page).toContain(`| ${pageQuota.perMinute} per minute |`);
});

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, source: string): string {
  writeFileSync(join(folder, name), source);
  return join(folder, name);
}

describe('a title counts', () => {
  test.each([
    ['as the title of a test', "test('keeps it', () => expect(1).toBe(1));", true],
    ['as the title of a describe', "describe('keeps it', () => { test('in it', () => expect(1).toBe(1)); });", true],
    ['as the title of a table of tests', "test.each([1, 2])('keeps it', () => expect(1).toBe(1));", true],
    ['as the title of a describe helper', "describeOnPostgres('keeps it', () => expect(1).toBe(1));", true],
    [
      'if it runs only where a program is installed',
      "(hasRedis ? test : test.skip)('keeps it', () => expect(1).toBe(1));",
      true,
    ],
    ['if it expects in a function', "function is() { expect(1).toBe(1); } test('keeps it', () => is());", true],
    ['not if its test expects nothing', "test('keeps it', () => {});", false],
    [
      'not if only skipped tests in its block expect something',
      "describe('keeps it', () => { test.skip('in it', () => expect(1)); });",
      false,
    ],
    ['not as a comment', "// test('keeps it', () => expect(1).toBe(1));", false],
    ['not as another string', "const name = 'keeps it';", false],
    ['not as the title of a skipped test', "test.skip('keeps it', () => expect(1).toBe(1));", false],
    ['not as the title of a skipped table', "test.skip.each([1])('keeps it', () => expect(1).toBe(1));", false],
    ['not in a skipped block', "describe.skip('a', () => { test('keeps it', () => expect(1).toBe(1)); });", false],
    ['not as part of another title', "test('keeps it warm', () => expect(1).toBe(1));", false],
  ])('%s', (_, source, counts) => {
    expect(testTitlesIn(write('some.test.ts', source)).has('keeps it')).toBe(counts);
  });
});

describe('a test uses a file', () => {
  test.each([
    ['that it imports', "import { a } from './protected.ts';", true],
    ['that it loads', "await import('./protected.ts');", true],
    ['through another file', "import './between.ts';", true],
    ['that it starts as a program', "spawn('node', [join(import.meta.dirname, './protected.ts')]);", true],
    ['but not one of which it imports only types', "import type { A } from './protected.ts';", false],
    ['but not one that a comment names', "// './protected.ts'", false],
  ])('%s', (_, source, uses) => {
    const protectedFile = write('protected.ts', 'export const a = 1;');
    write('between.ts', "export { a } from './protected.ts';");
    expect(filesUsedBy(write('some.test.ts', source), new Map()).has(protectedFile)).toBe(uses);
  });
});
