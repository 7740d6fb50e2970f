import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { releaseNotes, versionAfter, versionProblem } from './releases.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'releases-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

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
  ['1.4.3-dev', 'patch'],
  ['1.5.0-dev', 'minor'],
  ['1.5.0-dev', undefined],
] as const)('%s is right after 1.4.2 with %s changes', (current, impact) => {
  expect(versionProblem('1.4.2', current, impact)).toBeUndefined();
});

test.each([
  ['1.4.2', 'minor', 'info.version is 1.4.2. The changes since 1.4.2 need 1.5.0-dev.'],
  ['1.4.3-dev', 'minor', 'info.version is 1.4.3-dev. The changes since 1.4.2 need 1.5.0-dev.'],
  ['1.5.0', 'minor', 'info.version is 1.5.0. After the release 1.4.2, it must be 1.5.0-dev.'],
  ['1.6.0-dev', 'minor', 'info.version is 1.6.0-dev. After the release 1.4.2, it must be 1.5.0-dev.'],
  ['1.4.1', undefined, 'info.version is 1.4.1. After the release 1.4.2, it must be 1.4.2 or 1.4.3-dev or 1.5.0-dev.'],
  ['next', 'patch', 'info.version is next. After the release 1.4.2, it must be 1.4.2 or 1.4.3-dev or 1.5.0-dev.'],
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
