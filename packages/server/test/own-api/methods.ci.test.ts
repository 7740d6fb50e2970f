import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { adoptPaths, type Served, serve } from './serve-contract.ts';

const json = (schema: object) => ({ description: 'It', content: { 'application/json': { schema } } });
const counted = {
  description: 'The size',
  headers: {
    'X-Total': { required: true, schema: { type: 'integer' } },
    ETag: { required: true, schema: { type: 'string' } },
  },
  content: { 'application/json': { schema: { type: 'object' } } },
};
const query = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];

const adopted = adoptPaths({
  '/boats': {
    get: { operationId: 'getBoats', responses: { 200: json({ type: 'object' }) } },
    head: { operationId: 'headBoats', parameters: query, responses: { 200: counted, 404: { description: 'None' } } },
    options: { operationId: 'optionsBoats', responses: { 200: json({ type: 'object' }) } },
  },
  '/piers': { get: { operationId: 'getPiers', responses: { 200: json({ type: 'object' }) } } },
  '/knots': { get: { operationId: 'getKnots', responses: { 200: json({ type: 'null' }) } } },
  '/ropes': { head: { operationId: 'headRopes', responses: { 204: { description: 'There are some' } } } },
  '/echo': { trace: { responses: { 200: { description: 'No' } } }, get: { responses: { 200: json({}) } } },
});

const operations: AnyOperations = {
  getBoats: async () => ({ status: 200, body: { from: 'GET' } }),
  headBoats: async ({ query }) => ({ status: 200, headers: { 'X-Total': Object(query).limit ?? 7, ETag: '"a"' } }),
  optionsBoats: async () => ({ status: 200, body: { from: 'OPTIONS' } }),
  getPiers: async () => ({ status: 200, body: { from: 'GET' } }),
};

let service: Served;
beforeAll(async () => {
  service = await serve(adopted, operations);
});
afterAll(async () => service[Symbol.asyncDispose]());

async function send(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.origin + path, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('HEAD', () => {
  test('is answered by its own operation, with the parameters and headers of its own', async () => {
    const { status, headers, text } = await send('HEAD', '/boats?limit=3');
    expect([status, headers.get('x-total'), headers.get('etag'), text]).toEqual([200, '3', '"a"', '']);
    expect((await send('HEAD', '/boats?limit=x')).status).toBe(400);
    expect((await send('GET', '/boats?limit=3')).status).toBe(400);
    expect(JSON.parse((await send('GET', '/boats')).text)).toEqual({ from: 'GET' });
  });

  test('is GET without a body if the contract does not have it', async () => {
    const { status, headers, text } = await send('HEAD', '/piers');
    expect([status, headers.get('content-length'), text]).toEqual([200, '14', '']);
  });

  test('answers its example until it has code, and may be the only method of a path', async () => {
    const { status, headers } = await send('HEAD', '/ropes');
    expect([status, headers.get('x-example-response')]).toEqual([204, 'true']);
    const get = await send('GET', '/ropes');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'HEAD, OPTIONS']);
  });
});

describe('OPTIONS', () => {
  test('is answered by its own operation, and a preflight by the server', async () => {
    expect(JSON.parse((await send('OPTIONS', '/boats')).text)).toEqual({ from: 'OPTIONS' });
    const asked = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const preflight = await send('OPTIONS', '/boats', asked);
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET,HEAD,OPTIONS',
    ]);
    const { status, headers } = await send('OPTIONS', '/piers');
    expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

test('null is an example as any other', async () => {
  expect(await send('GET', '/knots')).toMatchObject({ status: 200, text: 'null' });
});

test('TRACE is refused with a sentence', () => {
  expect(adopted.refused).toEqual([
    { operation: 'TRACE /echo', reason: expect.stringMatching(/openapi\.yaml:\d+: TRACE would send the headers/) },
  ]);
  expect(adopted.served).toContain('GET /echo');
});
