import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readContract } from '../../contract/parse.ts';
import { checkContract } from '../../diff/check.ts';
import { readExceptions } from '../../diff/exceptions.ts';
import { releasedVersions, releaseFile, releaseNotes, releasesFolder } from '../../diff/releases.ts';
import { root } from '../../project.ts';
import { changelogEntry, changeSummary } from '../../release/changelog.ts';
import { planRelease } from '../../release/plan.ts';
import { entriesOf, readChangelog } from './changelog.ts';

const [last = '', before] = releasedVersions();

test('the entry of the last release lists the changes that Redocly finds in it', async () => {
  const [entry = ''] = entriesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  const [, day = ''] = /^## \S+ \((\d{4}-\d{2}-\d{2})\)/.exec(entry) ?? [];
  const current = readContract(releaseFile(last), `releases/openapi-${last}.yaml`);
  const previous = before === undefined ? undefined : await releaseBefore(before, current, day);
  const plan = { version: last, current, changesets: [], notes: releaseNotes(last), last: previous, problems: [] };
  expect(entry).toBe(changelogEntry(plan, day));
  const unindented = readFileSync(join(root, 'packages/contract/CHANGELOG.md'), 'utf8').replaceAll(
    /^ {2}(?=[-A-Z])/gm,
    '',
  );
  expect(unindented.replaceAll(/^ +$/gm, '')).toContain(changeSummary(plan));
});

async function releaseBefore(version: string, current: ReturnType<typeof readContract>, day: string) {
  const contract = readContract(releaseFile(version), `releases/openapi-${version}.yaml`);
  const exceptions = readExceptions(join(releasesFolder, 'exceptions.yaml'));
  return { version, contract, check: await checkContract({ released: contract, current }, exceptions, new Date(day)) };
}

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
