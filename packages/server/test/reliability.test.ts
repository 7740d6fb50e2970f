import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testTitlesIn } from './test-titles.ts';

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

test.each(rows.map(([, promise = '', named = '']) => [promise, named]))('%s: its test exists, and runs', (_, named) => {
  const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? [];
  const path = [root, join(root, 'packages/server')].map((folder) => join(folder, file)).find(existsSync);
  expect([named, path]).toEqual([named, expect.stringMatching(/\.ts$/)]);
  expect([...testTitlesIn(path ?? '')]).toContain(title);
});

describe('a title counts only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['as that of a test', "test('keeps it', () => {});", true],
    ['as that of a describe', "describe('keeps it', () => {});", true],
    ['as that of a table of tests', "test.each([1, 2])('keeps it', () => {});", true],
    ['as that of a helper that describes', "describeOnPostgres('keeps it', () => {});", true],
    ['where a machine may lack something', "(hasRedis ? test : test.skip)('keeps it', () => {});", true],
    ['not as a comment', "// test('keeps it', () => {});", false],
    ['not as another string', "const name = 'keeps it';", false],
    ['not as the title of a skipped test', "test.skip('keeps it', () => {});", false],
    ['not as the title of a skipped table', "test.skip.each([1])('keeps it', () => {});", false],
    ['not as a part of a title', "test('keeps it warm', () => {});", false],
  ])('%s', (_, source, counts) => {
    const file = join(folder, 'some.test.ts');
    writeFileSync(file, source);
    expect(testTitlesIn(file).has('keeps it')).toBe(counts);
  });
});
