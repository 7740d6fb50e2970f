import { describe, expect, test } from '@jest/globals';
import { contractsWith, type Edit } from './cases/case.ts';
import { checkContract } from './check.ts';
import type { Exception } from './exceptions.ts';

const next: Edit = { at: '#/info/version', value: '1.1.0' };
const createPetIsBeta: Edit = { at: '#/paths/~1pets/post/x-stability', value: 'beta' };
const today = new Date('2026-11-20T12:00:00Z');

// Side by side: each asks Redocly, which is another process and takes half a second.

function check(edits: readonly Edit[], exceptions: readonly Exception[] = [], releasedEdits: readonly Edit[] = []) {
  return checkContract(contractsWith(edits, releasedEdits), exceptions, today);
}

describe('what only adds passes, with a higher number', () => {
  const additions: Edit[] = [
    { at: '#/paths/~1pets/get/parameters', append: { name: 'sort', in: 'query', schema: { type: 'string' } } },
    { at: '#/paths/~1cats', value: { get: { operationId: 'listCats', responses: { 200: { description: 'Cats.' } } } } },
    { at: '#/paths/~1pets/get/responses/418', value: { description: 'A teapot.' } },
    { at: '#/components/parameters/Limit/schema/maximum', value: 200 },
    { at: '#/components/schemas/Pet/properties/nickname', value: { type: 'string' } },
    { at: '#/components/schemas/NewPet/properties/nickname', value: { type: 'string' } },
    { at: '#/components/schemas/ErrorCode/enum', append: 'pet_asleep' },
    {
      at: '#/components/schemas/ErrorCode/x-codes/pet_asleep',
      value: { status: 409, cause: 'Night.', action: 'Wait.' },
    },
    { at: '#/x-rate-limits/plans/free/perDay', value: 2000 },
    { at: '#/paths/~1pets~1{petId}/get/x-deprecation/sunset', value: '2031-12-05T00:00:00Z' },
    // What the document says for all operations, said once more.
    { at: '#/paths/~1pets/get/security', value: [{ apiKey: [] }] },
  ];

  test.concurrent('1.1.0 after 1.0.0', async () => {
    expect(await check([...additions, next])).toMatchObject({ problems: [], breaking: [], impact: 'minor' });
  });

  test.concurrent('the old number is refused, and the right one said', async () => {
    const { problems } = await check(additions.slice(0, 1));
    expect(problems).toEqual(['info.version is 1.0.0; what was added since 1.0.0 needs 1.1.0.']);
  });

  test.concurrent('wording needs no number before its release', async () => {
    const wording = [{ at: '#/components/schemas/Pet/description', value: 'An animal.' }];
    expect(await check(wording)).toMatchObject({ problems: [], impact: 'patch' });
  });

  test.concurrent('nothing is found where nothing changed', async () => {
    expect(await check([])).toMatchObject({ problems: [], impact: undefined, comparison: { stable: [], beta: [] } });
  });
});

describe('a beta operation may change', () => {
  test.concurrent('with the schema that only it uses', async () => {
    const change = { at: '#/components/schemas/NewPet/required', append: 'status' };
    const { problems, comparison, impact } = await check([change, next], [], [createPetIsBeta]);
    expect(problems).toEqual([]);
    expect(comparison).toMatchObject({ stable: [], beta: [{ impact: 'major', rule: 'required-properties-added' }] });
    expect(impact).toBe('minor');
  });

  test.concurrent('and go', async () => {
    const { problems, comparison } = await check([{ at: '#/paths/~1pets/post' }, next], [], [createPetIsBeta]);
    expect(problems).toEqual([]);
    expect(comparison.beta).toMatchObject([{ says: expect.stringContaining('was removed') }]);
  });

  test.concurrent('and become stable, which adds it', async () => {
    const promotion = { at: '#/paths/~1pets/post/x-stability' };
    const { problems, impact } = await check([promotion, next], [], [createPetIsBeta]);
    expect({ problems, impact }).toEqual({ problems: [], impact: 'minor' });
  });

  test.concurrent('but not with a schema that a stable operation shares', async () => {
    const change = { at: '#/components/schemas/Pet/properties/categoryId' };
    const { problems } = await check([change, next], [], [createPetIsBeta]);
    expect(problems).toEqual([
      expect.stringContaining('Pet.categoryId (listPets, getPet): Property `categoryId` of `Pet` was removed.'),
    ]);
  });
});

describe('an operation past its announced sunset', () => {
  test.concurrent.each([
    ['may go', '2026-11-20T00:00:00Z', []],
    [
      'not before',
      '2026-11-21T00:00:00Z',
      [expect.stringContaining('Operation `getPet` (GET /pets/{petId}) was removed.')],
    ],
  ])('%s', async (_when, value, problems) => {
    const sunset = { at: '#/paths/~1pets~1{petId}/get/x-deprecation/sunset', value };
    expect(await check([{ at: '#/paths/~1pets~1{petId}' }, next], [], [sunset])).toMatchObject({ problems });
  });
});

describe('an exception', () => {
  const lower = { at: '#/components/parameters/Limit/schema/maximum', value: 50 };
  const exception: Exception = {
    at: lower.at,
    change: "Upper bound changed from '<= 100' to '<= 50'.",
    reason: 'Nobody asked for more.',
    release: '1.1.0',
  };

  test.concurrent('lets its change pass', async () => {
    const { problems, breaking, excepted } = await check([lower, next], [exception]);
    expect({ problems, breaking }).toEqual({ problems: [], breaking: [] });
    expect(excepted).toMatchObject([{ exception, change: { rule: 'schema-constraint-changed' } }]);
  });

  test.concurrent('lets no other change pass', async () => {
    const { problems } = await check([{ ...lower, value: 40 }, next], [exception]);
    expect(problems).toEqual([
      expect.stringContaining("Upper bound changed from '<= 100' to '<= 40'."),
      expect.stringMatching(/exceptions\.yaml: .* excepts nothing.*Remove the entry\.$/),
    ]);
  });

  test.concurrent('is refused for another release than the next', async () => {
    const { problems } = await check([lower, next], [{ ...exception, release: '1.2.0' }]);
    expect(problems).toEqual([expect.stringContaining('is for the release 1.2.0, but info.version is 1.1.0.')]);
  });

  test.concurrent('of a past release stays as a record', async () => {
    expect(await check([], [{ ...exception, release: '1.0.0' }])).toMatchObject({ problems: [] });
  });
});
