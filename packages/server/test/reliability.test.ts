import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
const table = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| promise'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('docs/reliability.md has rows of three cells', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cells) => cells.length !== 5)).toEqual([]);
});

test.each(rows.map(([, promise = '', named = '']) => [promise, named]))(
  '%s: the test that holds it exists',
  (_, named) => {
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? [];
    const path = [root, join(root, 'packages/server')].map((folder) => join(folder, file)).find(existsSync);
    expect([named, path]).toEqual([named, expect.stringMatching(/\.ts$/)]);
    const source = readFileSync(path ?? '', 'utf8');
    // Whole names only, whatever quotes the source puts around them.
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`))).toBe(true);
  },
);
