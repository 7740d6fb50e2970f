import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { exceptionDraft, openExceptions, readExceptions } from './exceptions.ts';
import { releasesFolder } from './releases.ts';

let folder = '';
let file = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-exceptions-'));
  file = join(folder, 'exceptions.yaml');
});
afterAll(() => rmSync(folder, { recursive: true }));

const entry = {
  at: '#/paths/~1pets',
  change: 'Property `a` of `B` was removed.',
  reason: 'Never filled.',
  release: '1.1.0',
};

test('the entries of a file are read, and only those of a release to come are open', () => {
  writeFileSync(file, JSON.stringify([entry, { ...entry, release: '1.0.0' }]));
  expect(openExceptions(readExceptions(file), '1.0.0')).toEqual([entry]);
});

test.each(['at', 'change', 'reason', 'release'] as const)('an entry without %s is refused', (key) => {
  writeFileSync(file, JSON.stringify([{ ...entry, [key]: '' }]));
  expect(() => readExceptions(file)).toThrow('entry 1 needs at, change, reason, release');
});

test('a draft has all but the reason', () => {
  const change = { impact: 'major', rule: 'property-removed', says: entry.change, at: entry.at, isGone: true } as const;
  expect(parse(exceptionDraft(change, '1.1.0'))).toEqual([{ ...entry, reason: null }]);
});

test('the file of the project can be read, and so can none', () => {
  expect(() => readExceptions(join(releasesFolder, 'exceptions.yaml'))).not.toThrow();
  expect(readExceptions(join(folder, 'none.yaml'))).toEqual([]);
});
