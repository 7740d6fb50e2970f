import { expect, test } from '@jest/globals';
import { releasedVersions } from '../../diff/releases.ts';
import { planRelease } from '../../release/plan.ts';
import { readChangelog } from './changelog.ts';

const [last = ''] = releasedVersions();
const plan = await planRelease(new Date());

test('every release has a dated entry', () => {
  expect(readChangelog(plan)).toContain(`## ${last} (20`);
});

test('a release without one is refused', () => {
  expect(() => readChangelog(plan, ['1.2.3', last])).toThrow(
    'CHANGELOG.md has no entry "## 1.2.3 (YEAR-MONTH-DAY)" for the release 1.2.3.',
  );
});

test('the notes are in the unreleased entry, also if the contract is unchanged', () => {
  const notes = '### To do\n\n- Less.';
  expect(readChangelog({ ...plan, notes })).toContain(`## ${plan.version} (not yet released)\n\n${notes}\n\n`);
  if (plan.last === undefined) return;
  const check = { ...plan.last.check, impact: undefined };
  expect(readChangelog({ ...plan, notes, last: { ...plan.last, check } })).toContain(
    `## ${plan.version} (not yet released)\n\n${notes}\n\n`,
  );
});
