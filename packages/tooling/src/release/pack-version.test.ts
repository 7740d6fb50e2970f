import { expect, test } from '@jest/globals';
import { valid } from 'semver';
import { packVersion, type SourceState } from './pack-version.ts';

const release = { hash: '0123456', subject: 'Release 1.0.0', isClean: true };
const later = { ...release, subject: 'Add a filter' };

test.each<[string, SourceState, string]>([
  ['the commit of a release', { released: '1.0.0', contract: '1.0.0', commit: release }, '1.0.0'],
  [
    'a changed copy of that commit',
    { released: '1.0.0', contract: '1.0.0', commit: { ...release, isClean: false } },
    '1.0.1-dev.g0123456',
  ],
  [
    'a later commit with the same contract',
    { released: '1.0.0', contract: '1.0.0', commit: later },
    '1.0.1-dev.g0123456',
  ],
  ['a later commit with additions', { released: '1.0.0', contract: '1.1.0-dev', commit: later }, '1.1.0-dev.g0123456'],
  ['sources without their history', { released: '1.0.0', contract: '1.1.0-dev', commit: undefined }, '1.1.0-dev'],
  ['sources before the first release', { released: undefined, contract: '1.0.0', commit: later }, '1.0.0-dev.g0123456'],
  ['a date as the version', { released: undefined, contract: '2024-05', commit: later }, '2024.5.0-dev.g0123456'],
  ['a version of one number', { released: undefined, contract: 'v2', commit: undefined }, '2.0.0-dev'],
])('%s', (_title, state, version) => {
  expect(packVersion(state)).toBe(version);
  expect(valid(version)).toBe(version);
});
