import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { concurrency } from '../../service/src/rate-limit/concurrency.ts';
import { root } from '../../tooling/src/project.ts';
import { hasTest } from './test-titles.ts';

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

function find(file: string): string {
  return (
    [join(root, 'packages/server'), join(root, 'packages/service'), root]
      .map((folder) => join(folder, file))
      .find(existsSync) ?? `no ${file}`
  );
}

test('docs/reliability.md has rows of four cells', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cells) => cells.length !== 6)).toEqual([]);
});

test('CI runs all test files', () => {
  expect(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')).toMatch(/^ +- run: \.ci\/run$/m);
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^NOTHING_LEFT_OUT=1 npm test$/m);
});

test.each(rows.map(([, promise = '', , named = '', code = '']) => ({ promise, named, code })))(
  '$promise: its test runs, and the code that it protects exists',
  ({ named, code }) => {
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? [];
    const path = find(file);
    expect({ path, isRun: testFiles.has(path) }).toEqual({ path, isRun: true });
    expect({ title, isTested: hasTest(path, title) }).toEqual({ title, isTested: true });
    expect(existsSync(find(/^`([^`]+)`$/.exec(code)?.[1] ?? ''))).toBe(true);
  },
);

test('docs/reliability.md states the limits of the server', () => {
  expect(page).toContain(`| ${concurrency.perKey} operations, then 503`);
  expect(page).toContain(`| ${concurrency.writes} writes, ${concurrency.total.toLocaleString('en')} reads |`);
});
