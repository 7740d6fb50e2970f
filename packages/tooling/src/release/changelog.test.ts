import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseContract } from '../contract/parse.ts';
import type { Change } from '../diff/change.ts';
import { root } from '../project.ts';
import { changelogEntry, changeSummary, withEntry } from './changelog.ts';
import type { Plan } from './plan.ts';
import { withInfoVersion } from './write.ts';

const contract = parseContract(
  `
info: { version: 1.1.0 }
paths:
  /books: { get: { operationId: listBooks, summary: List books, description: 'All books. Sorted by ID.', responses: { '418': { description: The server is a teapot. It is short and stout. } } } }
  /loans: { get: { operationId: listLoans, x-stability: beta } }
`,
  'openapi.yaml',
);

const added = change('minor', '#/paths/~1books/get/responses/418', 'It was added.');
const reworded = change('patch', '#/paths/~1books/get/summary', 'It changed.');
const betaBreak = change('major', '#/paths/~1loans/get/responses/200', 'Response `200` was removed.');

function change(impact: Change['impact'], at: string, message: string): Change {
  return { impact, rule: '', message, at, isRemoved: false };
}

function planWith(stable: Change[], beta: Change[] = []): Plan {
  const check = { comparison: { stable, beta }, impact: 'minor' as const, problems: [] };
  return {
    version: '1.1.0',
    current: contract,
    notes: undefined,
    last: { version: '1.0.0', contract, check },
    problems: [],
  };
}

describe('the entry of a release', () => {
  test('has the notes, then the additions, also of beta operations', () => {
    const plan = { ...planWith([added, reworded], [betaBreak]), notes: '### To do\n\n- Less.' };
    expect(changelogEntry(plan, '2026-11-21')).toBe(`## 1.1.0 (2026-11-21)

### To do

- Less.

### In the contract

- **listBooks, status 418**: It was added.
- **listLoans, status 200**: Response \`200\` was removed.
`);
  });

  test('says that nothing changes, if only the wording did', () => {
    expect(changelogEntry(planWith([reworded]), '2026-11-21')).toBe(
      '## 1.1.0 (2026-11-21)\n\nNothing changes for your program.\n',
    );
  });

  test('lists the operations of the first release', () => {
    expect(changelogEntry({ ...planWith([]), last: undefined }, '2026-11-21')).toBe(`## 1.1.0 (2026-11-21)

The first release.

- **listBooks**: \`GET /books\`
- **listLoans**: \`GET /loans\` (beta)
`);
  });
});

test('quoted values are code, so that the asterisk of a pattern is not emphasis', () => {
  const relaxed = change('minor', '#/paths/~1books/get/summary', "`const` changed from '^[a-y]*$' to '^[a-z]*$'.");
  expect(changelogEntry(planWith([relaxed]), '2026-11-21')).toContain('changed from `^[a-y]*$` to `^[a-z]*$`.');
});

test('the changelogs of the packages have the changes of the contract', () => {
  expect(changeSummary(planWith([added]))).toBe('The contract 1.1.0.\n\n- **listBooks, status 418**: It was added.');
});

test('the newest release comes first, below the title', () => {
  const first = withEntry(undefined, '## 1.0.0 (2026-11-20)\n\nThe first release.\n');
  const second = withEntry(first, '## 1.1.0 (2026-11-21)\n\nMore.\n');
  expect(second).toMatch(
    /^# Changelog[^#]+\n\n## 1\.1\.0 \(2026-11-21\)\n\nMore\.\n\n## 1\.0\.0 .*\n\nThe first release\.\n$/,
  );
});

test('a new version changes one line of the contract', () => {
  const yaml = readFileSync(join(root, 'openapi.yaml'), 'utf8');
  const before = yaml.split('\n');
  const changed = withInfoVersion(yaml, '9.8.7').split('\n');
  expect(changed.filter((line, index) => line !== before[index])).toEqual(['  version: 9.8.7']);
  expect(changed).toHaveLength(before.length);
});

test.each(['openapi: 3.1.0\ninfo:\n  title: No number\n', 'x-info:\n  version: 1.0.0\n'])('%j is refused', (yaml) => {
  expect(() => withInfoVersion(yaml, '1.0.1')).toThrow('openapi.yaml has no line "  version: ..." under info.');
});
