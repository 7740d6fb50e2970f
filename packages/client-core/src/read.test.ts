import { describe, expect, test } from '@jest/globals';
import { type ClientFacts, createClient } from './client.ts';
import { errorReader } from './error-forms.ts';
import type { ClientOptions } from './options.ts';
import { toApiError, unwrap } from './unwrap.ts';
import { createResponseValidator } from './validate/index.ts';

const details = [{ where: 'query/limit', what: 'must be at most 100' }];
const problem = {
  type: '/docs/errors.html#invalid',
  title: 'Invalid',
  status: 400,
  detail: 'Too many.',
  code: 'invalid',
  details,
};
const schema = { type: 'object', required: ['code'] };
const validator = createResponseValidator({
  responseSchemas: {
    'GET /notes': { 200: { 'application/json': {} }, '4XX': { 'application/problem+json': schema }, default: {} },
  },
  definitions: {},
});

type Paths = { '/notes': { get: { responses: { 200: { content: { 'application/json': unknown } } } } } };

/** The errors of GET /notes in forms of the contract. */
const jsonOf = (signs: object) => ({ mediaTypes: { 'application/json': { kind: 'json', ...signs } } });
const json = (...required: string[]) => jsonOf({ required });
const errors = {
  404: json('status', 'error'),
  409: { mediaTypes: {} },
  418: { mediaTypes: { 'text/plain': { kind: 'text' } } },
  422: jsonOf({ types: ['array', 'number'] }),
  423: jsonOf({ types: ['object'] }),
  429: json(),
  502: jsonOf({ properties: ['error', 'fault'] }),
  '5XX': json('error'),
};

/** The result of GET /notes, whose response is this. */
async function resultOf(
  body: string | null,
  init: ResponseInit,
  { validate, ...more }: Partial<Omit<ClientFacts, 'validate'> & ClientOptions> = {},
) {
  const facts = { name: 'notes', version: '1', idempotentOperations: [], requestMediaTypes: {}, ...more };
  const fetch = async () => new Response(body, init);
  const options = { apiKey: 'a', baseUrl: 'https://notes.example', maxRetries: 0, validate, fetch };
  return createClient<Paths>(facts, options).GET('/notes');
}

/** The error of a call whose response is this. */
async function errorOf(status: number, body: unknown, type = 'application/problem+json', isValidated = false) {
  const { error, response } = await resultOf(
    typeof body === 'string' ? body : JSON.stringify(body),
    { status, headers: { 'Content-Type': type } },
    { readError: errorReader(new Map([['GET /notes', { errors }]])), validate: isValidated && validator },
  );
  // The exception has the same.
  const { code, message, data } = toApiError(error, response);
  expect({ code, message, data }).toEqual({ code: error?.code, message: error?.message, data: error?.data });
  return error;
}

describe('an error in a form of the contract is the data of the error,', () => {
  test.each<[what: string, status: number, body: unknown, said: { code?: string; message: string }, type?: string]>([
    ['with its code', 404, { status: 404, error: 'Gone', code: 'no_note' }, { code: 'no_note', message: 'Gone' }],
    ['without a code', 404, { status: 404, error: 'Gone', code: 7 }, { message: 'Gone' }],
    ['with an object in it', 503, { error: { message: 'Later', code: 'x' } }, { message: 'Later' }],
    ['without a message', 500, { error: 1 }, { message: 'The API responded with the status 500.' }],
    ['with one of its optional properties', 502, { fault: 1 }, { message: 'The API responded with the status 502.' }],
    ['as a list', 422, [1], { message: 'The API responded with the status 422.' }],
    ['as an object of any properties', 423, { message: 'Held' }, { message: 'Held' }],
    ['as text', 418, 'Tea', { message: 'The API responded with the status 418.' }, 'text/plain; charset=utf-8'],
  ])('%s', async (_, status, data, said, type = 'application/json') => {
    const error = await errorOf(status, data, type);
    expect(error).toMatchObject({ code: 'documented_error', ...said, status, data });
    expect(error).not.toHaveProperty('error');
  });

  test('and may have no body', async () => {
    expect(await errorOf(409, '', '')).toMatchObject({ code: 'documented_error', status: 409 });
  });

  test('unless its status, its media type, its type, a property or the check of responses says otherwise', async () => {
    const body = { status: 404, error: 'Gone' };
    const errors = [
      await errorOf(403, body),
      await errorOf(404, '<html>', 'text/html'),
      await errorOf(404, { error: 'no Route matched' }),
      await errorOf(404, body, undefined, true),
      await errorOf(409, 'Conflict', 'text/plain'),
      await errorOf(502, { message: 'no healthy upstream' }),
      await errorOf(502, 'x'),
      await errorOf(422, { message: 'no Route matched' }),
      await errorOf(423, 'x'),
      await errorOf(423, ['x']),
    ];
    for (const error of errors) expect([error?.code, error?.data]).toEqual(['unexpected_response', undefined]);
  });
});

test.each([false, true])(
  'a problem has the same properties as any other error of the API (validated: %s)',
  async (isValidated) => {
    expect(await errorOf(400, problem, undefined, isValidated)).toMatchObject({
      ...{ code: 'invalid', message: 'Too many.', status: 400, details },
      documentation: '/docs/errors.html#invalid',
    });
  },
);

describe('what did not come from the API is an unexpected response, with what it says:', () => {
  test.each<[what: string, status: number, body: unknown, message: string]>([
    ['a problem', 502, { title: 'Bad gateway', detail: 'No route to host' }, 'No route to host'],
    ['a problem without a detail', 502, { title: 'Bad gateway' }, 'Bad gateway'],
    ['a message', 404, { message: 'no Route matched' }, 'no Route matched'],
    ['a detail that is no text', 422, { detail: [{ loc: [] }] }, 'no code'],
    ['a code that is no text', 400, { code: 7 }, 'no code'],
  ])('%s', async (_, status, body, message) => {
    expect(await errorOf(status, body)).toMatchObject({
      ...{ code: 'unexpected_response', message: `Not an API response (${status}): ${message}.`, status },
    });
  });
});

test('a response is valid by its exact status, its range or default', () => {
  const valid = (status: number, body: unknown) =>
    validator({ operation: 'GET /notes', status, mediaType: 'application/problem+json', body });
  expect(valid(404, problem)).toBeUndefined();
  expect(valid(404, {})).toContain('code');
  expect(valid(502, problem)).toContain('no application/problem+json in the 502');
  expect(valid(201, problem)).toBe('the contract has no 201 of GET /notes');
});

test('a body of null is null', async () => {
  expect(await unwrap(resultOf('null', { headers: { 'Content-Type': 'application/json' } }))).toBeNull();
});

test('what a gateway said is on the error, but not in logs', async () => {
  const headers = { 'Content-Type': 'text/html', 'CF-Ray': '123' };
  const result = await resultOf(`blocked. Ray ID 123${' '.repeat(2_000)}`, { status: 403, headers });
  expect(result.error?.body).toBe(`blocked. Ray ID 123${' '.repeat(981)}`);
  const thrown = toApiError(result.error, result.response);
  expect([thrown.body, thrown.headers?.get('CF-Ray')]).toEqual([result.error?.body, '123']);
  const logged = JSON.parse(JSON.stringify(thrown));
  expect(logged).toMatchObject({ message: 'Not an API response (403): text/html.', status: 403 });
  expect([logged.body, logged.headers, logged.contractFirst]).toEqual([undefined, undefined, undefined]);
});

test.each([200, 204])('a %i without a body is an error unless the contract has one', async (status) => {
  const errorWith = async (...emptySuccesses: string[]) =>
    (await resultOf(null, { status }, { emptySuccesses })).error?.message;
  expect(await errorWith()).toBe(`Not an API response (${status}): no body.`);
  expect(await errorWith('GET /notes')).toBeUndefined();
});
