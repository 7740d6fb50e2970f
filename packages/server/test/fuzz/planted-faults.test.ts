import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { ApiError, invalidRequest } from '../../src/contract/api-error.ts';
import { contractDocument } from '../../src/contract/document.ts';
import { createPet } from '../../src/operations/createPet.ts';
import { getPet } from '../../src/operations/getPet.ts';
import { operations } from '../../src/operations/index.ts';
import type { Failure } from './run/failure.ts';
import { fuzz } from './run/run.ts';
import { type Tampering, tamperedTarget } from './target/tampering.ts';
import { startTarget, type Target } from './target/target.ts';

const SEED = 7;

/** What is found wrong with one operation. */
async function failuresOf(target: Target, operation: string, document = contractDocument): Promise<Failure[]> {
  const { failures } = await fuzz(target, operation, { runs: 200, seed: SEED }, document);
  return failures;
}

/** The contract with some parts changed: what a server looks like that was built from another one. */
function contractWith(change: (document: typeof contractDocument) => void): typeof contractDocument {
  const document = structuredClone(contractDocument);
  change(document);
  return document;
}

const kindsOf = (failures: Failure[]) => failures.map(({ kind }) => kind);
const problemsOf = (failures: Failure[]) => failures.flatMap(({ problems }) => problems).join('\n');

describe('a server that does not check a constraint is found, and the constraint named', () => {
  test.each([
    [
      'listPets',
      'query/limit maximum',
      (document: typeof contractDocument) => (document.components.parameters.Limit.schema.maximum = 50),
    ],
    [
      'getPet',
      'path/petId minimum',
      (document: typeof contractDocument) => (document.components.parameters.PetId.schema.minimum = 1),
    ],
    [
      'createPet',
      'body/name maxLength',
      (document: typeof contractDocument) => (document.components.schemas.PetName.maxLength = 30),
    ],
    [
      'createPet',
      'body/status required',
      (document: typeof contractDocument) => document.components.schemas.NewPet.required.push('status'),
    ],
    [
      'createPet',
      'header/Idempotency-Key maxLength',
      (document: typeof contractDocument) => (document.components.parameters.IdempotencyKey.schema.maxLength = 20),
    ],
  ])('%s: %s', async (operation, kind, change) => {
    await using target = await startTarget();
    const failures = await failuresOf(target, operation, contractWith(change));
    expect(kindsOf(failures)).toContain(kind);
  });

  test('so is one that refuses what the contract allows', async () => {
    await using target = await startTarget();
    const wider = contractWith((document) => {
      document.components.parameters.Limit.schema.maximum = 200;
    });
    expect(problemsOf(await failuresOf(target, 'listPets', wider))).toContain('the request is valid, and was refused');
  });
});

describe('an operation with a fault is found', () => {
  test('one that throws now and then, with the smallest request that it throws at', async () => {
    const failing: typeof createPet = async (call) => {
      if (call.body.categoryId > 1_000) throw new Error('planted');
      return createPet(call);
    };
    await using target = await startTarget({ operations: { ...operations, createPet: failing } });
    const failure = (await failuresOf(target, 'createPet')).find(({ kind }) => kind === 'valid');
    expect(failure?.problems).toEqual(['the response is a 500']);
    expect(failure?.curl).toMatch(/^curl .*"categoryId":/);
  });

  test('one whose response has a field more than the contract', async () => {
    const surplus: typeof createPet = async (call) => {
      const response = await createPet(call);
      return response instanceof ApiError
        ? response
        : { ...response, body: Object.assign({ secret: 'x' }, response.body) };
    };
    await using target = await startTarget({
      operations: { ...operations, createPet: surplus },
      config: { validateResponses: false },
    });
    expect(problemsOf(await failuresOf(target, 'createPet'))).toContain('must NOT have additional properties');
  });

  test.each([
    ['invalid', 'path/petId minimum', () => invalidRequest([{ where: 'path/petId', what: 'is planted' }])],
    ['for what does not exist', 'valid', () => new ApiError('pet_not_found', 'Planted.')],
  ])('one that writes before it refuses a request that is %s', async (_, kind, refusal) => {
    const place: { file?: string } = {};
    const hasty: typeof getPet = async (call) => {
      if (call.path.petId > 0 || place.file === undefined) return getPet(call);
      using database = new DatabaseSync(place.file, { timeout: 1_000 });
      database.exec("INSERT INTO pets (name, category_id) VALUES ('planted', 1)");
      // biome-ignore lint/suspicious/noExplicitAny: the types do not let an operation refuse what is the validator's
      return refusal() as any;
    };
    await using target = await startTarget({ operations: { ...operations, getPet: hasty } });
    place.file = target.database;
    const positive = contractWith((document) => {
      document.components.parameters.PetId.schema.minimum = kind === 'valid' ? -9_007_199_254_740_991 : 1;
    });
    const failure = (await failuresOf(target, 'getPet', positive)).find((found) => found.kind === kind);
    expect(failure?.problems).toEqual(['the request was refused, and something was written']);
  });
});

describe('a response that was changed on its way is found', () => {
  const cases: [what: string, problem: string, tampering: Tampering][] = [
    [
      'lets in callers without a key',
      'without the key',
      {
        request: (headers, target) => ({ authorization: `Bearer ${target.key}`, ...headers }),
      },
    ],
    [
      'sends a header that is not documented',
      'the header x-surplus is not documented',
      {
        response: (response) => ({ ...response, headers: new Headers([...response.headers, ['X-Surplus', '1']]) }),
      },
    ],
    [
      'does not send a header that it must',
      'the header X-RateLimit-Reset is missing',
      {
        response: (response) => ({
          ...response,
          headers: new Headers([...response.headers].filter(([name]) => name !== 'x-ratelimit-reset')),
        }),
      },
    ],
    [
      'names another place than the wrong one',
      'details should name',
      {
        response: (response) => ({
          ...response,
          text: response.text.replace('"where":"query/limit"', '"where":"query/status"'),
        }),
      },
    ],
    [
      'names other methods than it has',
      'Allow should name',
      {
        response: (response) => ({
          ...response,
          headers: new Headers([...response.headers].map(([name, value]) => [name, name === 'allow' ? 'GET' : value])),
        }),
      },
    ],
    [
      'answers a status that is not documented',
      'the status 418 is not documented',
      {
        response: (response) => (response.status === 200 ? { ...response, status: 418 } : response),
      },
    ],
  ];

  test.each(cases)('one that %s', async (_, problem, tampering) => {
    await using target = await tamperedTarget(await startTarget(), tampering);
    expect(problemsOf(await failuresOf(target, 'listPets'))).toContain(problem);
  });

  test('and a proxy that changes nothing is not reported', async () => {
    await using target = await tamperedTarget(await startTarget(), {});
    expect(await failuresOf(target, 'listPets')).toEqual([]);
  });
});
