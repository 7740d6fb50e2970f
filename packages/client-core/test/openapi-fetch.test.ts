/**
 * The client relies on this behaviour of openapi-fetch, which is no longer updated. The tests check the requests of a
 * client and the results of its calls, so they also apply to a replacement of the package.
 */
import { describe, expect, test } from '@jest/globals';
import { createClient, type Middleware } from '../src/index.ts';

type Json<Body> = { content: { 'application/json': Body } };
type Failure = { code: string; message: string; status: number };
type Responses = { 200: Json<unknown>; 204: { content?: never }; 404: Json<Failure> };

type Paths = {
  '/files/{name}': {
    get: {
      parameters: {
        path: { name: string };
        query?: { id?: (number | undefined)[]; size?: number; isNew?: boolean; label?: string };
        header?: { 'If-None-Match'?: string; 'X-Region'?: string };
      };
      responses: Responses;
    };
    put: { parameters: { path: { name: string } }; requestBody: Json<unknown>; responses: Responses };
    delete: { parameters: { path: { name: string } }; responses: Responses };
  };
};

const params = { path: { name: 'a' } };

/** A client, and the requests that it has sent. The first response is `response`. */
function setUp(response: () => Response = () => Response.json({}), baseUrl = 'http://api.example/v1') {
  const requests: Request[] = [];
  const send = async (request: Request) => {
    requests.push(request.clone());
    return response();
  };
  const client = createClient<Paths>(
    { name: 'files', version: '1.0.0', idempotentOperations: [], requestMediaTypes: {} },
    { apiKey: 'any', baseUrl, fetch: send, maxRetries: 0 },
  );
  const first = () => {
    const [request] = requests;
    if (request === undefined) throw new Error('The client has sent no request.');
    return request;
  };
  return { client, requests, first };
}

describe('the URL', () => {
  test.each([
    ['http://api.example/v1', 'http://api.example/v1/files/a'],
    ['http://api.example/v1/', 'http://api.example/v1/files/a'],
  ])('joins the base URL %s and the path with one slash', async (baseUrl, url) => {
    const { client, first } = setUp(undefined, baseUrl);
    await client.GET('/files/{name}', { params });
    expect(first().url).toBe(url);
  });

  test('encodes the values of path parameters, slashes included', async () => {
    const { client, first } = setUp();
    await client.GET('/files/{name}', { params: { path: { name: 'a/b ?#ä%' } } });
    expect(new URL(first().url).pathname).toBe('/v1/files/a%2Fb%20%3F%23%C3%A4%25');
  });

  test('has a separate parameter for each value of a list', async () => {
    const { client, first } = setUp();
    await client.GET('/files/{name}', { params: { ...params, query: { id: [1, 2], size: 0, isNew: false } } });
    expect(new URL(first().url).search).toBe('?id=1&id=2&size=0&isNew=false');
  });

  test('leaves out a query parameter that is undefined, and is without a question mark if none is left', async () => {
    const { client, first } = setUp();
    const query: { label?: string } = JSON.parse('{}');
    await client.GET('/files/{name}', { params: { ...params, query } });
    expect(first().url).toBe('http://api.example/v1/files/a');
  });

  test('encodes the values of query parameters', async () => {
    const { client, first } = setUp();
    await client.GET('/files/{name}', { params: { ...params, query: { label: 'a&b=c d+ä' } } });
    expect(new URL(first().url).searchParams.get('label')).toBe('a&b=c d+ä');
  });
});

describe('the encoding options of a call', () => {
  test('may define how lists are written in the query', async () => {
    const { client, first } = setUp();
    const querySerializer = { array: { style: 'pipeDelimited', explode: false } } as const;
    await client.GET('/files/{name}', { params: { ...params, query: { id: [1, 2] } }, querySerializer });
    expect(new URL(first().url).search).toBe('?id=1|2');
  });

  test('may serialise the whole query, the path and the body', async () => {
    const { client, first } = setUp();
    await client.GET('/files/{name}', {
      params,
      querySerializer: () => 'a=1',
      pathSerializer: () => 'http://api.example/b',
    });
    expect(first().url).toBe('http://api.example/b?a=1');
    const other = setUp();
    await other.client.PUT('/files/{name}', { params, body: { size: 1 }, bodySerializer: () => '[]' });
    expect(await other.first().text()).toBe('[]');
  });
});

describe('a request body', () => {
  test('is JSON by default, and is sent with its media type', async () => {
    const { client, first } = setUp();
    await client.PUT('/files/{name}', { params, body: { size: 1 } });
    expect([first().headers.get('Content-Type'), await first().json()]).toEqual(['application/json', { size: 1 }]);
  });

  test.each([null, false, 0, ''])('may be %p', async (body) => {
    const { client, first } = setUp();
    await client.PUT('/files/{name}', { params, body });
    expect(await first().text()).toBe(JSON.stringify(body));
  });

  test('is absent if the call has none, and so is its media type', async () => {
    const { client, first } = setUp();
    await client.DELETE('/files/{name}', { params });
    expect([first().headers.has('Content-Type'), await first().text()]).toEqual([false, '']);
  });
});

describe('the headers', () => {
  test('of the client are replaced by those of the call, and these by header parameters', async () => {
    const { client, first } = setUp();
    const headers = { accept: 'text/csv', 'x-region': 'north', 'X-Trace': '1' };
    await client.GET('/files/{name}', { params: { ...params, header: { 'X-Region': 'south' } }, headers });
    const sent = ['Accept', 'X-Region', 'X-Trace'].map((name) => first().headers.get(name));
    expect(sent).toEqual(['text/csv', 'south', '1']);
  });

  test('of the client are removed by null, and kept by undefined', async () => {
    const { client, first } = setUp();
    await client.GET('/files/{name}', { params, headers: { Accept: undefined } });
    expect(first().headers.get('Accept')).toMatch('application/json');
    const other = setUp();
    await other.client.GET('/files/{name}', { params, headers: { Accept: null } });
    expect(other.first().headers.has('Accept')).toBe(false);
  });

  test.each([
    ['removed by null', { authorization: null }, null],
    ['kept by undefined', { Authorization: undefined }, expect.stringMatching(/^Bearer ./)],
    ['replaced by another one', { Authorization: 'Basic YTpi' }, 'Basic YTpi'],
  ])('with the key are %s', async (_, headers, sent) => {
    const { client, first } = setUp();
    await client.GET('/files/{name}', { params, headers });
    expect(first().headers.get('Authorization')).toEqual(sent);
  });
});

test('headers may be pairs, and undefined does not remove the key of a creation', async () => {
  const { client, first } = setUp();
  await client.GET('/files/{name}', { params, headers: [['X-Trace', '1']] });
  expect(first().headers.get('X-Trace')).toBe('1');
  const other = setUp();
  const headers = { 'Idempotency-Key': undefined };
  await other.client.PUT('/files/{name}', { params, body: 1, idempotencyKey: 'k1', headers });
  expect(other.first().headers.get('Idempotency-Key')).toBe('k1');
});

describe('middleware', () => {
  test('of a call runs after that of the client, and sees the options of the call', async () => {
    const { client } = setUp();
    const seen: unknown[] = [];
    const note = (name: string): Middleware => ({
      onRequest: ({ options, schemaPath, params: given, id }) =>
        void seen.push([name, options.baseUrl, schemaPath, given, options.querySerializer({ a: 1 }), typeof id]),
      onResponse: ({ response }) => void seen.push([name, response.status]),
    });
    client.use(note('client'));
    await client.GET('/files/{name}', { params, middleware: [note('call')] });
    const request = ['http://api.example/v1', '/files/{name}', params, 'a=1', 'string'];
    expect(seen).toEqual([
      ['client', ...request],
      ['call', ...request],
      ['call', 200],
      ['client', 200],
    ]);
  });

  test('can replace the request and the response', async () => {
    const { client, first } = setUp();
    client.use({
      onRequest: ({ request }) => new Request(request, { headers: { 'X-Region': 'north' } }),
      onResponse: () => Response.json({ size: 2 }),
    });
    const { data } = await client.GET('/files/{name}', { params });
    expect([first().headers.get('X-Region'), data]).toEqual(['north', { size: 2 }]);
  });

  test('can respond to a request itself, which is then not sent', async () => {
    const { client, requests } = setUp();
    client.use({ onRequest: () => Response.json({ size: 3 }) });
    const { data } = await client.GET('/files/{name}', { params });
    expect([requests.length, data]).toEqual([0, { size: 3 }]);
  });

  test('is no longer called after it was ejected', async () => {
    const { client } = setUp();
    const seen: string[] = [];
    const middleware = { onRequest: () => void seen.push('request') };
    client.use(middleware);
    client.eject(middleware);
    await client.GET('/files/{name}', { params });
    expect(seen).toEqual([]);
  });
});

test('a call with its own fetch is sent with it', async () => {
  const { client, requests } = setUp();
  const fetch = async () => Response.json({ size: 4 });
  const { data } = await client.GET('/files/{name}', { params, fetch });
  expect([requests.length, data]).toEqual([0, { size: 4 }]);
});
