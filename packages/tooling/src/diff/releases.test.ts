import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { exceptionDraft, openExceptions, readExceptions } from './exceptions.ts';
import { releaseNotes, releasesFolder, versionAfter, versionProblem } from './releases.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'releases-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('exceptions', () => {
  const entry = {
    at: '#/paths/~1books',
    change: 'Property `a` of `B` was removed.',
    reason: 'Never filled.',
    release: '1.1.0',
  };
  const file = () => join(folder, 'exceptions.yaml');

  test('are read from a file, and only those for a later release are open', () => {
    writeFileSync(file(), JSON.stringify([entry, { ...entry, release: '1.0.0' }]));
    expect(openExceptions(readExceptions(file()), '1.0.0')).toEqual([entry]);
  });

  test.each(['at', 'change', 'reason', 'release'] as const)('without %s are refused', (key) => {
    writeFileSync(file(), JSON.stringify([{ ...entry, [key]: '' }]));
    expect(() => readExceptions(file())).toThrow('entry 1 needs at, change, reason, release');
  });

  test('have no reason when they are drafted', () => {
    const change = { impact: 'major', rule: 'x', message: entry.change, at: entry.at, isRemoved: true } as const;
    expect(parse(exceptionDraft(change, '1.1.0'))).toEqual([{ ...entry, reason: null }]);
  });

  test('of the project can be read, and a missing file has none', () => {
    expect(() => readExceptions(join(releasesFolder, 'exceptions.yaml'))).not.toThrow();
    expect(readExceptions(file())).toEqual([]);
  });
});

test.each([
  [undefined, '1.4.2'],
  ['patch', '1.4.3'],
  ['minor', '1.5.0'],
  ['major', '1.5.0'],
] as const)('a release with %s changes is %s', (impact, version) => {
  expect(versionAfter('1.4.2', impact)).toBe(version);
});

test.each([
  ['1.4.2', undefined],
  ['1.4.2', 'patch'],
  ['1.4.3', 'patch'],
  ['1.5.0', 'minor'],
  ['1.5.0', undefined],
] as const)('%s is right after 1.4.2 with %s changes', (current, impact) => {
  expect(versionProblem('1.4.2', current, impact)).toBeUndefined();
});

test.each([
  ['1.4.2', 'minor', 'info.version is 1.4.2. The changes since 1.4.2 need 1.5.0.'],
  ['1.4.3', 'minor', 'info.version is 1.4.3. The changes since 1.4.2 need 1.5.0.'],
  ['1.6.0', 'minor', 'info.version is 1.6.0. After the release 1.4.2, it must be 1.5.0.'],
  ['1.4.1', undefined, 'info.version is 1.4.1. After the release 1.4.2, it must be 1.4.2 or 1.4.3 or 1.5.0.'],
  ['next', 'patch', 'info.version is next. After the release 1.4.2, it must be 1.4.2 or 1.4.3 or 1.5.0.'],
] as const)('%s is wrong after 1.4.2 with %s changes', (current, impact, problem) => {
  expect(versionProblem('1.4.2', current, impact)).toBe(problem);
});

describe('the notes of a release', () => {
  test('are its file, if there is one', () => {
    writeFileSync(join(folder, 'notes-1.1.0.md'), '### What changed\n\n- Less.\n');
    expect(releaseNotes('1.1.0', folder)).toBe('### What changed\n\n- Less.');
    expect(releaseNotes('1.2.0', folder)).toBeUndefined();
  });

  test('may not begin another release', () => {
    writeFileSync(join(folder, 'notes-1.1.0.md'), '## 9.9.9 (2026-11-21)\n');
    expect(() => releaseNotes('1.1.0', folder)).toThrow(
      /notes-1\.1\.0\.md has a heading of level 1 or 2\. Use ### headings\.$/,
    );
  });
});
