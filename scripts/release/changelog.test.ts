import { describe, expect, test } from '@jest/globals';
import type { Change } from '../diff/change.ts';
import { parseContract } from '../diff/contract.ts';
import { changelogEntry, changeSummary, withEntry } from './changelog.ts';
import type { Plan } from './plan.ts';

const contract = parseContract(
  `
info: { version: 1.1.0 }
paths:
  /pets: { get: { operationId: listPets } }
  /orders: { get: { operationId: listOrders, x-stability: beta } }
`,
  'openapi.yaml',
);

const lowered = change('major', '#/paths/~1pets/get/parameters/limit', 'Upper bound was set.');
const added = change('minor', '#/paths/~1pets/get/responses/418', 'It was added.');
const reworded = change('patch', '#/paths/~1pets/get/summary', 'It changed.');
const betaBreak = change('major', '#/paths/~1orders/get/responses/200', 'Response `200` was removed.');

function change(impact: Change['impact'], at: string, message: string): Change {
  return { impact, rule: '', message, at, isRemoved: false };
}

function planWith(stable: Change[], beta: Change[] = []): Plan {
  const exception = { at: lowered.at, change: lowered.message, reason: 'Nobody minds.', release: '1.1.0' };
  const excepted = stable.includes(lowered) ? [{ change: lowered, exception }] : [];
  const check = { comparison: { stable, beta }, breaking: [], excepted, impact: 'minor' as const, problems: [] };
  return {
    version: '1.1.0',
    current: contract,
    changesets: [],
    last: { version: '1.0.0', contract, check },
    problems: [],
  };
}

describe('the entry of a release', () => {
  test('has breaks with their reasons first, then what was added, what is beta, and a word on wording', () => {
    expect(changelogEntry(planWith([added, reworded, lowered], [betaBreak]), '2026-11-21')).toBe(`## 1.1.0 (2026-11-21)

### Breaking, by exception

- **listPets, parameter limit**: Upper bound was set. *Nobody minds.*

### Changed

- **listPets, status 418**: It was added.

### In beta, outside the promise of v1

- **listOrders, status 200**: Response \`200\` was removed.

Wording and examples changed in 1 place.
`);
  });

  test('message so when the contract is unchanged', () => {
    expect(changelogEntry(planWith([]), '2026-11-21')).toBe('## 1.1.0 (2026-11-21)\n\nThe contract is unchanged.\n');
  });

  test('lists the operations when it is the first', () => {
    expect(changelogEntry({ ...planWith([]), last: undefined }, '2026-11-21')).toBe(`## 1.1.0 (2026-11-21)

The first release.

- **listPets**: \`GET /pets\`
- **listOrders**: \`GET /orders\` (beta)
`);
  });
});

test('the packages get the same without headings', () => {
  expect(changeSummary(planWith([added]))).toBe(
    'The contract 1.1.0.\n\nChanged:\n- **listPets, status 418**: It was added.',
  );
});

test('the newest release comes first, below the title', () => {
  const first = withEntry(undefined, '## 1.0.0 (2026-11-20)\n\nThe first release.\n');
  const second = withEntry(first, '## 1.1.0 (2026-11-21)\n\nMore.\n');
  expect(second).toMatch(
    /^# Changelog[^#]+\n\n## 1\.1\.0 \(2026-11-21\)\n\nMore\.\n\n## 1\.0\.0 .*\n\nThe first release\.\n$/,
  );
});
