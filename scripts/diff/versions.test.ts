import { expect, test } from '@jest/globals';
import { versionAfter, versionProblem } from './versions.ts';

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
  ['1.4.2', 'minor', 'info.version is 1.4.2; what was added since 1.4.2 needs 1.5.0.'],
  ['1.4.3', 'minor', 'info.version is 1.4.3; what was added since 1.4.2 needs 1.5.0.'],
  ['1.6.0', 'minor', 'info.version is 1.6.0; after the release 1.4.2 it is 1.5.0.'],
  ['1.4.1', undefined, 'info.version is 1.4.1; after the release 1.4.2 it is 1.4.2 or 1.4.3 or 1.5.0.'],
  ['next', 'patch', 'info.version is next; after the release 1.4.2 it is 1.4.2 or 1.4.3 or 1.5.0.'],
] as const)('%s is wrong after 1.4.2 with %s changes', (current, impact, problem) => {
  expect(versionProblem('1.4.2', current, impact)).toBe(problem);
});
