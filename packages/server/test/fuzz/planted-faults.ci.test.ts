import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { ApiError, invalidRequest } from '../../../service/src/contract/api-error.ts';
import { createPet } from '../../src/operations/createPet.ts';
import { getPet } from '../../src/operations/getPet.ts';
import { operations } from '../../src/operations/index.ts';
import { contractDocument } from '../contract.ts';
import type { Failure } from './run/failure.ts';
import { fuzz } from './run/run.ts';
import { fixtureContract, startFixture } from './target/fixture.ts';
import { type Tampering, tamperedTarget } from './target/tampering.ts';
import { startTarget, type Target } from './target/target.ts';

const SEED = 7;

/** The failures that the fuzzer finds in one operation. */
async function failuresOf(target: Target, operation: string, document = contractDocument): Promise<Failure[]> {
  const { failures } = await fuzz(target, operation, { runs: 200, seed: SEED }, document);
  return failures;
}

/** A changed contract, from whose point of view the server has a fault. */
function contractWith(change: (document: typeof contractDocument) => void): typeof contractDocument {
  const document = structuredClone(contractDocument);
  change(document);
  return document;
}

const kindsOf = (failures: Failure[]) => failures.map(({ kind }) => kind);
const problemsOf = (failures: Failure[]) => failures.flatMap(({ problems }) => problems).join('\n');

describe('a server that does not check a constraint is detected, and the constraint is named', () => {
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

  test('a server that refuses a valid request is detected', async () => {
    await using target = await startTarget();
    const wider = contractWith((document) => {
      document.components.parameters.Limit.schema.maximum = 200;
    });
    expect(problemsOf(await failuresOf(target, 'listPets', wider))).toContain('the request is valid, and was refused');
  });
});

describe('a fault in an operation is detected', () => {
  test('one that sometimes throws, with the smallest request that makes it throw', async () => {
    const failing: typeof createPet = async (call) => {
      if (call.body.categoryId > 1_000) throw new Error('planted');
      return createPet(call);
    };
    await using target = await startTarget({ operations: { ...operations, createPet: failing } });
    const failure = (await failuresOf(target, 'createPet')).find(({ kind }) => kind === 'valid');
    expect(failure?.problems).toEqual(['the response is a 500']);
    expect(failure?.curl).toMatch(/^curl .*"categoryId":/);
  });

  test('one whose response has an undocumented field', async () => {
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
  ])('one that writes before it refuses a request %s', async (_, kind, refusal) => {
    const place: { file?: string } = {};
    const hasty: typeof getPet = async (call) => {
      if (call.path.petId > 0 || place.file === undefined) return getPet(call);
      using database = new DatabaseSync(place.file, { timeout: 1_000 });
      database.exec("INSERT INTO pets (name, category_id) VALUES ('planted', 1)");
      // biome-ignore lint/suspicious/noExplicitAny: the types reserve these refusals for the validator
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

describe('a fault in responses is detected', () => {
  const cases: [what: string, problem: string, tampering: Tampering][] = [
    [
      'lets in callers without a key',
      'without the key',
      {
        request: (headers, target) => ({ authorization: `Bearer ${target.key}`, ...headers }),
      },
    ],
    [
      'sends an undocumented header',
      'the header x-surplus is not documented',
      {
        response: (response) => ({ ...response, headers: new Headers([...response.headers, ['X-Surplus', '1']]) }),
      },
    ],
    [
      'omits a required header',
      'the header X-RateLimit-Reset is missing',
      {
        response: (response) => ({
          ...response,
          headers: new Headers([...response.headers].filter(([name]) => name !== 'x-ratelimit-reset')),
        }),
      },
    ],
    [
      'names the wrong place in details',
      'details should name',
      {
        response: (response) => ({
          ...response,
          text: response.text.replace('"where":"query/limit"', '"where":"query/status"'),
        }),
      },
    ],
    [
      'names the wrong methods in Allow',
      'Allow should name',
      {
        response: (response) => ({
          ...response,
          headers: new Headers([...response.headers].map(([name, value]) => [name, name === 'allow' ? 'GET' : value])),
        }),
      },
    ],
    [
      'responds with an undocumented status',
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

  test('one that keeps its ETag although the body has changed', async () => {
    const response: Tampering['response'] = (given) => {
      const headers = new Headers(given.headers);
      if (headers.has('etag')) headers.set('ETag', '"planted"');
      return { ...given, headers };
    };
    await using target = await tamperedTarget(await startTarget(), { response });
    expect(problemsOf(await failuresOf(target, 'createPet'))).toContain('two different bodies have the ETag "planted"');
  });

  test('one that ignores If-None-Match', async () => {
    const request: Tampering['request'] = ({ 'if-none-match': _, ...headers }) => headers;
    await using target = await tamperedTarget(await startTarget(), { request });
    expect(problemsOf(await failuresOf(target, 'getPet'))).toContain('the response should be 304 with the ETag');
  });

  test('one that ignores If-Match', async () => {
    const request: Tampering['request'] = (headers) =>
      headers['if-match'] === undefined ? headers : { ...headers, 'if-match': '*' };
    await using target = await tamperedTarget(await startTarget(), { request });
    const failures = await failuresOf(target, 'updatePet');
    expect(kindsOf(failures)).toContain('header/If-Match of another version');
    expect(problemsOf(failures)).toContain('the response should be 412 precondition_failed, and is 200');
  });

  test('one that lets a key with the scope read change data', async () => {
    // With its Idempotency-Key, the request would get the stored response of the allowed one.
    const request: Tampering['request'] = ({ 'idempotency-key': once, ...headers }, { key, readKey }) => {
      if (headers.authorization === `Bearer ${readKey}`) return { ...headers, authorization: `Bearer ${key}` };
      return once === undefined ? headers : { ...headers, 'idempotency-key': once };
    };
    await using target = await tamperedTarget(await startTarget(), { request });
    const problems = problemsOf(await failuresOf(target, 'createPet'));
    expect(problems).toContain(
      'with a key of the scope read: the response should be 403 insufficient_scope, and is 201',
    );
    expect(problems).toContain('a caller that may not write has written something');
  });

  test('one that sends a body with a 204', async () => {
    const inner = await startTarget();
    await using target: Target = {
      ...inner,
      send: async (...request) => {
        const response = await inner.send(...request);
        return response.status === 204 ? { ...response, text: '{}' } : response;
      },
    };
    expect(problemsOf(await failuresOf(target, 'deletePet'))).toContain('it has a body, and none is documented');
  });

  test('one whose response is not HTTP', async () => {
    const inner = await startTarget();
    await using target: Target = {
      ...inner,
      send: async (request, sender) => {
        if (request.method === 'HEAD') throw new Error('HEAD got no response.');
        return inner.send(request, sender);
      },
    };
    expect(problemsOf(await failuresOf(target, 'listOrders'))).toContain('HEAD got no response.');
  });

  test('a proxy that changes nothing is not reported', async () => {
    await using target = await tamperedTarget(await startTarget(), {});
    expect(await failuresOf(target, 'listPets')).toEqual([]);
  });
});

describe('a fault in an API with streams and other media types is detected', () => {
  test.each([
    ['no fault', {}, ''],
    ['an item of a stream that violates its schema', { items: [{ id: 1 }, { id: 'two' }] }, 'body/id must be integer'],
    ['a stream that ends in the middle of an item', { end: '{"id":' }, 'the last item has no end'],
    ['a stream of another media type', { type: 'text/plain' }, 'the Content-Type should be application/x-ndjson'],
    ['an Accept that is ignored', { acceptsAll: true }, 'the response should be 406 not_acceptable, and is 200'],
    [
      'a body over its limit that is accepted',
      { mostBytes: 4_000 },
      'the response should be 413 body_too_large, and is 204',
    ],
    ['a body at its limit that is refused', { mostBytes: 500 }, 'the request is valid, and was refused with 413'],
    [
      'a public operation that requires a key',
      { key: 'required' },
      'without the key: the request is valid, and was refused',
    ],
  ] as const)('%s', async (_, fault, problem) => {
    await using target = await startFixture(fault);
    const failures = [
      ...(await failuresOf(target, 'streamItems', fixtureContract)),
      ...(await failuresOf(target, 'putImage', fixtureContract)),
    ];
    if (problem === '') expect(problemsOf(failures)).toBe('');
    else expect(problemsOf(failures)).toContain(problem);
  });

  test('a contract with an unsupported feature is refused before any request is sent', async () => {
    await using target = await startFixture({});
    const form = { 'multipart/form-data': { schema: { type: 'object' } } };
    const unknown = structuredClone(fixtureContract);
    Object.assign(unknown.paths['/image'].put.requestBody, { content: form });
    await expect(fuzz(target, 'streamItems', { runs: 10, seed: SEED }, unknown)).rejects.toThrow(
      'putImage body: the fuzzer does not know bodies of multipart/form-data.',
    );
  });
});
