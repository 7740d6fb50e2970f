import { type ErrorBody, operations, plans } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseResponse, sendBytes } from '../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from './harness.ts';

/** The Allow header of a path of the contract, computed from the rules of HTTP, not by the router. */
export function allowedMethods(path: string): string {
  const methods = Object.values(operations)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
});
afterAll(() => server.stop());

function send(method: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, { method, headers: { authorization: `Bearer ${server.key}`, ...headers } });
}

const everyResponse = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'];

describe('paths are exact', () => {
  test('under /v1 an unknown path without a key is 401, so that it reveals nothing', async () => {
    expect((await send('GET', '/v1/secrets', { authorization: '' })).status).toBe(401);
    expect((await send('GET', '/elsewhere', { authorization: '' })).status).toBe(404);
  });
});

test('every error links to its code in the docs, with an absolute URL if the server knows its origin', async () => {
  const unknown: ErrorBody = await (await send('GET', '/v1/animals')).json();
  expect(unknown.documentation).toBe(`${server.url}/docs/errors.html#route_not_found`);
  const unreadable = await sendRaw('GET /v1/pets HTTP/1.1\r\nHost :');
  expect(JSON.parse(unreadable.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    documentation: '/docs/errors.html#malformed_http',
  });
});

describe('405', () => {
  test.each([
    ['DELETE', '/v1/pets', '/pets'],
    ['PUT', '/v1/pets', '/pets'],
    ['POST', '/v1/pets/1', '/pets/{petId}'],
    ['PROPFIND', '/v1/pets', '/pets'],
  ])('%s %s names the methods that the path has', async (method, path, documented) => {
    const response = await send(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allowedMethods(documented));
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
    for (const name of everyResponse) expect([name, response.headers.has(name)]).toEqual([name, true]);
  });
});

describe('browsers', () => {
  test('a preflight is answered without a key and is not counted', async () => {
    const before = Number((await server.call('listPets')).headers.get('x-ratelimit-remaining'));
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nothing']) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,idempotency-key',
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-methods')).toMatch(/GET.*POST/);
      expect(response.headers.get('access-control-allow-headers')).toMatch(
        /Authorization.*Content-Type.*Idempotency-Key/,
      );
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    }
    const after = Number((await server.call('listPets')).headers.get('x-ratelimit-remaining'));
    expect(after).toBe(before - 1);
  });

  test('OPTIONS that is not a preflight needs a key, counts, and names the methods', async () => {
    expect((await fetch(`${server.url}/v1/pets`, { method: 'OPTIONS' })).status).toBe(401);
    const response = await send('OPTIONS', '/v1/pets');
    expect([response.status, response.headers.get('allow')]).toEqual([204, allowedMethods('/pets')]);
    for (const name of everyResponse) expect([name, response.headers.has(name)]).toEqual([name, true]);
  });

  test('any origin may read all responses, including errors, and all of their headers', async () => {
    for (const key of [server.key, null]) {
      const response = await server.call('listPets', { key, headers: { origin: 'https://shop.example' } });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toBe('*');
    }
  });
});

describe('request IDs', () => {
  test('a well-formed ID is used, and anything else is replaced', async () => {
    const kept = await server.call('listPets', { headers: { 'x-request-id': 'order-7.a_B' } });
    expect(kept.headers.get('x-request-id')).toBe('order-7.a_B');
    for (const bad of ['a b', 'x'.repeat(129), '<script>', '']) {
      const response = await server.call('listPets', { headers: { 'x-request-id': bad } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('invalid HTTP', () => {
  test('a malformed body is a 400 counted against the key, and a 401 without a key, even when it arrives with its headers', async () => {
    const head =
      'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    const known = parseResponse(
      await sendBytes(server.url, `${head}Authorization: Bearer ${server.key}\r\n\r\nzz\r\n`),
    );
    expect([known.status, JSON.parse(known.text).code]).toEqual([400, 'malformed_http']);
    expect(known.headers.get('x-ratelimit-limit')).toBe(String(plans.business.perMinute));
    const unknown = parseResponse(await sendBytes(server.url, `${head}\r\nzz\r\n`));
    expect([unknown.status, JSON.parse(unknown.text).code]).toEqual([401, 'api_key_missing']);
    expect(server.log()).not.toContain('Cannot set headers');
  });

  test.each(['/docs/', '/docs', '/healthz'])(
    'a malformed body of %s ends the connection after one response',
    async (path) => {
      const responses = await sendBytes(
        server.url,
        `GET ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      );
      expect(responses.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
      expect([200, 302, 400, 503]).toContain(parseResponse(responses).status);
      expect(server.log()).not.toContain('Cannot set headers');
    },
  );

  test('two Authorization headers are refused as ambiguous', async () => {
    const response = await sendRaw(
      `GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nAuthorization: Bearer x`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
  });
});

/** Sends a request with `Host`, `Connection: close` and a key, and returns everything that the server sends. */
function sendRaw(head: string): Promise<string> {
  const [line = '', ...headers] = head.split('\r\n');
  const authorization = head.includes('Authorization') ? [] : [`Authorization: Bearer ${server.key}`];
  return sendBytes(
    server.url,
    [line, 'Host: localhost', 'Connection: close', ...authorization, ...headers, '', ''].join('\r\n'),
  );
}
