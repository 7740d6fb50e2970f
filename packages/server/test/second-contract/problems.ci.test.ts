import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../service/src/contract/api-error.ts';
import type { AnyOperations } from '../../../service/src/contract/operation.ts';
import { parseResponses, sendBytes } from '../../../testing/src/service/wire.ts';
import { effectiveContract } from '../../../tooling/src/effective/effective.ts';
import { contractOf } from './contract-of.ts';
import { api as notes } from './operations/api.ts';
import { startService } from './start-service.ts';

const schema = { type: 'object', required: ['title'], properties: { title: { type: 'string', minLength: 1 } } };
const json = { content: { 'application/json': { schema } } };
const problem = { description: 'A problem.', content: { 'application/problem+json': { schema: {} } } };

const paths = {
  '/tides': {
    get: {
      operationId: 'listTides',
      security: [],
      responses: { 200: { description: 'Tides.', ...json }, default: problem },
    },
    post: {
      operationId: 'createTide',
      requestBody: { required: true, ...json },
      responses: { 201: { description: 'Added.', ...json }, '4XX': problem },
    },
  },
};

const { document } = effectiveContract(
  {
    openapi: '3.1.0',
    info: { title: 'Tides', version: '1' },
    servers: [{ url: 'https://tides.example/v1' }],
    security: [{ key: [] }],
    'x-rate-limits': {
      plans: { business: { title: 'Business', perMinute: 1000, perDay: 100_000 } },
      anonymous: { perMinute: 20, perDay: 1000 },
    },
    paths: JSON.parse(JSON.stringify(paths)),
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  },
  'tides',
);

let thrown = new Error();
const refuse = async () => {
  throw thrown;
};
const operations: AnyOperations = { listTides: refuse, createTide: refuse };
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService(
    { ...notes, contract: contractOf(JSON.parse(JSON.stringify(document))), operations },
    'sqlite::memory:',
  );
});
afterAll(async () => service[Symbol.asyncDispose]());

/** The problem that a request gets. */
async function problemFor(path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${service.secret}`, 'content-type': 'application/json' };
  const response = await fetch(`${service.origin}${path}`, { headers, ...init });
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const body = await response.json();
  expect(body.status).toBe(response.status);
  return body;
}
const post = (body: string, headers?: HeadersInit) => ({
  method: 'POST',
  body,
  ...(headers === undefined ? {} : { headers }),
});

describe('every error is a problem', () => {
  test('of the operation, by its default and by 4XX', async () => {
    thrown = new ApiError('not_found', 'There is no tide.');
    const expected = {
      type: `${service.origin}/docs/errors.html#not_found`,
      title: 'Not found',
      status: 404,
      detail: 'There is no tide.',
      code: 'not_found',
    };
    expect(await problemFor('/v1/tides')).toEqual(expected);
    expect(await problemFor('/v1/tides', post('{"title":"Low"}'))).toEqual(expected);
  });

  test.each<[code: string, title: string, path: string, init: RequestInit]>([
    ['api_key_invalid', 'API key invalid', '/v1/tides', post('{}', { authorization: 'Bearer wrong' })],
    ['invalid_json', 'Invalid JSON', '/v1/tides', post('{')],
    ['unsupported_media_type', 'Unsupported media type', '/v1/tides', post('x', { 'content-type': 'text/plain' })],
    ['body_too_large', 'Body too large', '/v1/tides', post(JSON.stringify({ title: 'x'.repeat(70_000) }))],
    ['route_not_found', 'Route not found', '/v1/elsewhere', {}],
    ['method_not_allowed', 'Method not allowed', '/v1/tides', { method: 'DELETE' }],
  ])('of the server: %s', async (code, title, path, init) => {
    const authorization = `Bearer ${service.secret}`;
    const headers = { 'content-type': 'application/json', authorization, ...Object(init.headers) };
    const found = await problemFor(path, { ...init, headers });
    const type = `${service.origin}/docs/errors.html#${code}`;
    expect(found).toEqual({ type, title, status: expect.any(Number), detail: expect.any(String), code });
  });

  test('about an invalid request, with details', async () => {
    expect(await problemFor('/v1/tides', post('{"title":""}'))).toEqual({
      type: `${service.origin}/docs/errors.html#invalid_request`,
      title: 'Invalid request',
      status: 400,
      detail: 'The request is invalid: body/title must not be empty.',
      code: 'invalid_request',
      details: [{ where: 'body/title', what: 'must not be empty' }],
    });
  });

  test('about a request that is not valid HTTP', async () => {
    const [response] = parseResponses(await sendBytes(service.origin, 'GARBAGE\r\n\r\n'));
    expect(response?.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(response?.text ?? '')).toEqual({
      type: '/docs/errors.html#malformed_http',
      title: 'Malformed HTTP',
      status: 400,
      detail: 'The request is not valid HTTP. Use an HTTP library.',
      code: 'malformed_http',
    });
  });
});
