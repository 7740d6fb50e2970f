import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Edit } from '../../test/edits.ts';
import { contractsWith, inGroups, namedLine, type PlantedBreak, plantedBreaks, type Written } from './cases-fixture.ts';
import { checkContract } from './check.ts';

const next: Edit = { at: '#/info/version', value: '1.1.0-dev' };
const createBookIsBeta: Edit = { at: '#/paths/~1books/post/x-stability', value: 'beta' };
const today = new Date('2026-11-20T12:00:00Z');

function check(edits: readonly Edit[], releasedEdits: readonly Edit[] = []) {
  return checkContract(contractsWith(edits, releasedEdits), today);
}

describe('an addition passes with a higher version', () => {
  const additions: Edit[] = [
    { at: '#/paths/~1books/get/parameters', append: { name: 'sort', in: 'query', schema: { type: 'string' } } },
    { at: '#/paths/~1cats', value: { get: { operationId: 'listCats', responses: { 200: { description: 'Cats.' } } } } },
    { at: '#/paths/~1books/get/responses/418', value: { description: 'A teapot.' } },
    { at: '#/components/parameters/Limit/schema/maximum', value: 200 },
    { at: '#/components/schemas/Book/properties/nickname', value: { type: 'string' } },
    { at: '#/components/schemas/NewBook/properties/nickname', value: { type: 'string' } },
    { at: '#/components/schemas/ErrorCode/enum', append: 'book_asleep' },
    {
      at: '#/components/schemas/ErrorCode/x-codes/book_asleep',
      value: { status: 409, cause: 'Night.', action: 'Wait.' },
    },
    { at: '#/x-rate-limits/plans/free/perDay', value: 2000 },
    { at: '#/paths/~1books~1{bookId}/get/x-deprecation/sunset', value: '2031-12-05T00:00:00Z' },
    // The same as the document requires of all operations.
    { at: '#/paths/~1books/get/security', value: [{ apiKey: ['read'] }] },
  ];

  const otherAdditions: Edit[] = [
    { at: '#/components/schemas/Sale/properties/buyer', value: { type: 'string' } },
    { at: '#/components/schemas/Sale/required', append: 'note' },
    { at: '#/webhooks/bookSold/post/parameters', append: { name: 'X-Try', in: 'header', required: true } },
    { at: '#/webhooks/bookFound', copyOf: '#/webhooks/bookLost' },
    { at: '#/paths/~1photo/put/requestBody/content/image~1png/x-max-bytes', value: 2_097_152 },
    { at: '#/paths/~1photo/put/requestBody/content/image~1gif', value: {} },
    { at: '#/paths/~1photo/put/security', value: [{ apiKey: ['read'] }] },
    { at: '#/paths/~1photo/delete/responses/403', value: { description: 'The key may only read.' } },
    { at: '#/paths/~1events/get/responses/304', value: { description: 'Not modified.' } },
    {
      at: '#/paths/~1photo/patch',
      value: { operationId: 'changePhoto', responses: { 204: { description: 'Done.' } } },
    },
  ];

  test('1.1.0 after 1.0.0', () => {
    expect(check([...additions, next])).toMatchObject({ problems: [], impact: 'minor' });
  });

  test('of other kinds of operations and of webhooks', () => {
    const others = plantedBreaks.find(({ released }) => released !== undefined)?.released;
    expect(check([...otherAdditions, next], others)).toMatchObject({ problems: [], impact: 'minor' });
  });

  test('such as the scopes, which every key of the release has', () => {
    const withoutScopes = [{ at: '#/security', value: [{ apiKey: [] }] }, { at: '#/paths/~1books/post/security' }];
    const withScopes = [
      { at: '#/security', value: [{ apiKey: ['read'] }] },
      { at: '#/paths/~1books/post/security', value: [{ apiKey: ['write'] }] },
    ];
    expect(check([...withScopes, next], withoutScopes)).toMatchObject({ problems: [] });
  });

  test('the old version is refused, and the message names the right one', () => {
    const { problems } = check(additions.slice(0, 1));
    expect(problems).toEqual(['info.version is 1.0.0. The changes since 1.0.0 need 1.1.0-dev.']);
  });

  test('a change of wording needs no new version before the release', () => {
    const wording = [{ at: '#/components/schemas/Book/description', value: 'A book.' }];
    expect(check(wording)).toMatchObject({ problems: [], impact: 'patch' });
  });

  test('an unchanged contract has no changes', () => {
    expect(check([])).toMatchObject({ problems: [], impact: undefined, comparison: { stable: [], beta: [] } });
  });
});

describe('a beta operation may', () => {
  test('change with the schema that only it uses', () => {
    const change = { at: '#/components/schemas/NewBook/required', append: 'status' };
    const { problems, comparison, impact } = check([change, next], [createBookIsBeta]);
    expect(problems).toEqual([]);
    expect(comparison).toMatchObject({ stable: [], beta: [{ impact: 'major', rule: 'required-properties-added' }] });
    expect(impact).toBe('minor');
  });

  test('be removed', () => {
    const { problems, comparison } = check([{ at: '#/paths/~1books/post' }, next], [createBookIsBeta]);
    expect(problems).toEqual([]);
    expect(comparison.beta).toMatchObject([{ message: expect.stringContaining('was removed') }]);
  });

  test('become stable, which counts as an addition', () => {
    const promotion = { at: '#/paths/~1books/post/x-stability' };
    const { problems, impact } = check([promotion, next], [createBookIsBeta]);
    expect({ problems, impact }).toEqual({ problems: [], impact: 'minor' });
  });

  test('not change a schema that a stable operation shares', () => {
    const change = { at: '#/components/schemas/Book/properties/shelfId' };
    const { problems } = check([change, next], [createBookIsBeta]);
    expect(problems).toEqual([
      expect.stringContaining(
        'Book.shelfId (listBooks, getBook, updateBook): Property `shelfId` of `Book` was removed.',
      ),
    ]);
  });
});

describe('an operation past its announced sunset', () => {
  test.each([
    ['may be removed', '2026-11-20T00:00:00Z', []],
    [
      'may not be removed before',
      '2026-11-21T00:00:00Z',
      [expect.stringContaining('Operation `GET /books/{bookId}` was removed.')],
    ],
  ])('%s', (_when, value, problems) => {
    const sunset = { at: '#/paths/~1books~1{bookId}/get/x-deprecation/sunset', value };
    expect(check([{ at: '#/paths/~1books~1{bookId}/get' }, next], [sunset])).toMatchObject({ problems });
  });
});

type Checked = { contracts: { released: Written; current: Written }; problems: string[] };

const checked = new Map<PlantedBreak, Checked>();

beforeAll(() => {
  for (const group of inGroups(plantedBreaks)) {
    const contracts = contractsWith(
      group.flatMap(({ edits }) => edits),
      group[0]?.released,
    );
    const { problems } = checkContract(contracts, today);
    for (const broken of group) checked.set(broken, { contracts, problems });
  }
}, 120_000);

describe('a breaking change of a stable operation fails, with file and line', () => {
  test.each(plantedBreaks)('$when', (broken) => {
    const result = checked.get(broken);
    const failures = result?.problems.filter((problem) => problem.includes(`: ${broken.message} `)) ?? [];
    expect({ failures, problems: result?.problems }).toMatchObject({ failures: [expect.any(String)] });
    const [failure = ''] = failures;
    expect(failure).toMatch(/^(openapi\.yaml|releases\/openapi-1\.0\.0\.yaml):\d+: /);
    expect(result === undefined ? '' : namedLine(result.contracts, failure)).toBe(broken.line);
  });
});
