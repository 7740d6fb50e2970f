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

const lowered = change('major', '#/paths/~1books/get/parameters/limit', 'Upper bound was set.');
const added = change('minor', '#/paths/~1books/get/responses/418', 'It was added.');
const reworded = change('patch', '#/paths/~1books/get/summary', 'It changed.');
const betaBreak = change('major', '#/paths/~1loans/get/responses/200', 'Response `200` was removed.');

function change(impact: Change['impact'], at: string, message: string): Change {
  return { impact, rule: '', message, at, isRemoved: false };
}

function planWith(stable: Change[], beta: Change[] = [], released = contract): Plan {
  const exception = {
    at: lowered.at,
    change: lowered.message,
    reason: 'Too large pages timed out.',
    toDo: 'Send a `limit`.',
    release: '1.1.0',
  };
  const excepted = stable.includes(lowered) ? [{ change: lowered, exception }] : [];
  const check = { comparison: { stable, beta }, breaking: [], excepted, impact: 'minor' as const, problems: [] };
  return {
    version: '1.1.0',
    current: contract,
    changesets: [],
    notes: undefined,
    last: { version: '1.0.0', contract: released, check },
    problems: [],
  };
}

describe('the entry of a release', () => {
  test('lists breaking changes with their reasons, then additions and changes with an effect, also of beta operations', () => {
    expect(changelogEntry(planWith([added, reworded, lowered], [betaBreak]), '2026-11-21')).toBe(`## 1.1.0 (2026-11-21)

### To do

- **parameter limit** in listBooks: Upper bound was set. Send a \`limit\`. *Too large pages timed out.*

### New

- **status 418** in listBooks: The server is a teapot.

### Changed for you

- **status 200** in listLoans: Response \`200\` was removed.
`);
  });

  test('has one line for changes that differ only in their place', () => {
    const headers = ['200', '304'].map((status) =>
      change('minor', `#/paths/~1books/get/responses/${status}/headers/ETag`, 'It was added.'),
    );
    expect(changelogEntry(planWith([...headers, added]), '2026-11-21')).toContain(
      '\n- **header ETag** in listBooks\n- **status 418** in listBooks: The server is a teapot.\n',
    );
  });

  test('lists new operations separately, once each', () => {
    const released = parseContract('info: { version: 1.0.0 }', 'released.yaml');
    const plan = planWith([added, change('minor', '#/paths/~1books/get', 'It was added.')], [], released);
    const entry = changelogEntry(plan, '2026-11-21');
    expect(entry).toContain(
      '### New\n\n- **List books** (listBooks): `GET /books`. All books.\n- **listLoans**: `GET /loans` (beta)\n',
    );
    expect(entry.match(/status 418/g)).toHaveLength(1);
  });

  test('says what a change of a list means', () => {
    const at = '#/paths/~1books/get/responses/200';
    const required = change('minor', at, '`required` changed from ["id","old"] to ["id","title"].');
    const values = change('minor', at, 'Enum of `code` gained values: `lost`.');
    const entry = changelogEntry(planWith([required, values]), '2026-11-21');
    expect(entry).toContain('Always present now: `title`. No longer always present: `old`.\n');
    expect(entry).toContain('New values of `code`: `lost`.\n');
  });

  test('has the notes at the beginning of their parts, and others first', () => {
    const notes = '### Upgrade\n\nSoon.\n\n### Changed for you\n\nText.\n\n### New\n\n- More,\n  much more.';
    const values = change('minor', added.at, 'Enum of `code` gained values: `lost`.');
    expect(changelogEntry({ ...planWith([added, values]), notes }, '2026-11-21')).toBe(`## 1.1.0 (2026-11-21)

### Upgrade

Soon.

### New

- More,
  much more.
- **status 418** in listBooks: The server is a teapot.

### Changed for you

Text.

- **status 418** in listBooks: New values of \`code\`: \`lost\`.
`);
    expect(changelogEntry({ ...planWith([]), notes: '### New\n\nMore.' }, '2026-11-21')).toBe(
      '## 1.1.0 (2026-11-21)\n\n### New\n\nMore.\n',
    );
  });

  test('says what a changed bound means', () => {
    const at = '#/paths/~1books/get/responses/200';
    const messages = [
      '`maxItems` was set to 20.',
      "`pattern` of `name` changed from '^a$' to '^b$'.",
      'Limit was added.',
    ];
    const entry = changelogEntry(planWith(messages.map((message) => change('minor', at, message))), '2026-11-21');
    expect(entry).toContain('### Changed for you\n\n- **status 200** in listBooks: At most 20 items.\n');
    expect(entry).not.toContain('Limit was added');
  });

  test('names the operations that can send a new error code, and none if only new operations or none can', () => {
    const document = (codes: string[]) =>
      parseContract(
        JSON.stringify({
          info: { version: '1.1.0' },
          security: [{ key: ['read'] }, { cookie: ['read'] }, { key: ['write', 'admin'] }],
          paths: Object.fromEntries(
            codes.map((code) => [
              `/${code}`,
              { get: { operationId: `get_${code}`, responses: { 400: { $ref: `#/components/responses/${code}` } } } },
            ]),
          ),
          components: {
            responses: Object.fromEntries(
              codes.map((code) => [code, { content: { 'application/json': { example: { code, message: 'No.' } } } }]),
            ),
          },
        }),
        'openapi.yaml',
      );
    const gained = change(
      'minor',
      '#/components/schemas/ErrorCode/enum',
      "Enum of `code` gained values: 'lost', 'found', 'rare'.",
    );
    const scope = change('minor', '#/paths/~1lost/get/security', '`security` changed.');
    const plan = { ...planWith([gained, scope], [], document(['lost'])), current: document(['lost', 'found']) };
    expect(changelogEntry(plan, '2026-11-21')).toContain(
      '### Changed for you\n\n- **get_lost**: New error code `lost`.\n- **get_lost**: A key needs the scope `read`, or `write` and `admin`.\n',
    );
  });

  test('names no operation for a new error code if the contract has no examples of errors', () => {
    const gained = change('minor', '#/components/schemas/ErrorCode/enum', "Enum of `code` gained values: 'lost'.");
    expect(changelogEntry(planWith([gained]), '2026-11-21')).toContain('New values of `code`: `lost`.\n');
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

test('the changelogs of the packages have the same text without headings', () => {
  expect(changeSummary(planWith([added]))).toBe(
    'The contract 1.1.0.\n\nNew:\n- **status 418** in listBooks: The server is a teapot.',
  );
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
