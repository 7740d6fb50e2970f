import { describe, expect, test } from '@jest/globals';
import { createClient } from './client.ts';
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
const validate = createResponseValidator({
  responseSchemas: {
    'GET /notes': { 200: { 'application/json': {} }, '4XX': { 'application/problem+json': schema }, default: {} },
  },
  definitions: {},
});

/** The error of a call whose response is this. */
async function errorOf(status: number, body: unknown, type = 'application/problem+json', isValidated = false) {
  const client = createClient<{
    '/notes': { get: { responses: { 200: { content: { 'application/json': unknown } } } } };
  }>(
    { name: 'notes', version: '1', idempotentOperations: [], requestMediaTypes: {} },
    {
      ...{ apiKey: 'a', baseUrl: 'https://notes.example', maxRetries: 0, validate: isValidated && validate },
      fetch: async () => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': type } }),
    },
  );
  return (await client.GET('/notes')).error;
}

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
    ['a redirect', 301, { title: 'Moved' }, 'a redirect; check `baseUrl`'],
  ])('%s', async (_, status, body, message) => {
    expect(await errorOf(status, body)).toMatchObject({
      ...{ code: 'unexpected_response', message: `Not an API response (${status}): ${message}.`, status },
    });
  });
});

test('a response is valid by its exact status, its range or default', () => {
  const valid = (status: number, body: unknown) =>
    validate({ operation: 'GET /notes', status, mediaType: 'application/problem+json', body });
  expect(valid(404, problem)).toBeUndefined();
  expect(valid(404, {})).toContain('code');
  expect(valid(502, problem)).toContain('no application/problem+json in the 502');
  expect(valid(201, problem)).toBe('the contract has no 201 of GET /notes');
});

test('a body of null is null', async () => {
  const client = createClient<{
    '/notes': { get: { responses: { 200: { content: { 'application/json': string[] | null } } } } };
  }>(
    { name: 'notes', version: '1', idempotentOperations: [], requestMediaTypes: {} },
    { apiKey: 'a', baseUrl: 'https://notes.example', fetch: async () => Response.json(null) },
  );
  expect(await unwrap(client.GET('/notes'))).toBeNull();
});

test('what a gateway said is on the error, but not in logs', async () => {
  const headers = { 'Content-Type': 'text/html', 'CF-Ray': '123' };
  const client = createClient<{
    '/notes': { get: { responses: { 200: { content: { 'application/json': unknown } } } } };
  }>(
    { name: 'notes', version: '1', idempotentOperations: [], requestMediaTypes: {} },
    {
      ...{ apiKey: 'a', baseUrl: 'https://notes.example' },
      fetch: async () => new Response(`blocked. Ray ID 123${' '.repeat(2_000)}`, { status: 403, headers }),
    },
  );
  const result = await client.GET('/notes');
  expect(result.error?.body).toBe(`blocked. Ray ID 123${' '.repeat(981)}`);
  const thrown = toApiError(result.error, result.response);
  expect([thrown.body, thrown.headers?.get('CF-Ray')]).toEqual([result.error?.body, '123']);
  const logged = JSON.parse(JSON.stringify(thrown));
  expect(logged).toMatchObject({ message: 'Not an API response (403): text/html.', status: 403 });
  expect([logged.body, logged.headers, logged.contractFirst]).toEqual([undefined, undefined, undefined]);
});

test.each([200, 204])('a %i without a body is an error unless the contract has one', async (status) => {
  const resultOf = (emptySuccesses: string[]) => {
    const facts = { name: 'notes', version: '1', idempotentOperations: [], requestMediaTypes: {}, emptySuccesses };
    const fetch = async () => new Response(null, { status });
    return createClient<{ '/notes': { get: { responses: { 200: { content: { 'application/json': string } } } } } }>(
      facts,
      { apiKey: 'a', baseUrl: 'https://notes.example', fetch },
    ).GET('/notes');
  };
  expect((await resultOf([])).error?.message).toBe(`Not an API response (${status}): no body.`);
  expect((await resultOf(['GET /notes'])).error).toBeUndefined();
});
