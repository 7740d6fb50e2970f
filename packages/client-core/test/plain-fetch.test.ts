import { expect, test } from '@jest/globals';
import type { Verb } from '../src/methods.ts';
import * as shipped from '../src/openapi-fetch.ts';
import * as plain from './plain-fetch.ts';

type Operation = { requestBody?: { content: Record<'any/any', unknown> }; responses: Record<number, unknown> };
type Paths = Record<string, Record<Verb, Operation>>;
type Options = Omit<Parameters<plain.FetchClient<Paths>['request']>[2], 'middleware'> & {
  middleware?: { onResponse: () => Response }[];
};
type Create = (options: { baseUrl: string } & RequestInit & Pick<Options, 'fetch'>) => {
  use: (middleware: {
    onRequest: (call: { request: Request; schemaPath: string; params: object; options: { baseUrl: string } }) => void;
    onResponse: (call: { response: Response }) => void;
    onError: (call: { error: unknown }) => Response | Error;
  }) => void;
  request: (method: Verb, path: string, options: Options) => Promise<{ response: Response; error?: unknown }>;
};

/** What a client sends and returns, and what its middleware sees. */
async function outcomeOf(create: Create, method: Verb, options: Options, reply: () => Response) {
  const sent: unknown[] = [];
  const seen: unknown[] = [];
  const client = create({
    ...{ baseUrl: 'http://api.example/v1/', headers: { Accept: 'text/csv', 'X-Region': 'north' }, redirect: 'manual' },
    async fetch(request) {
      const { url, headers, redirect, signal } = request;
      sent.push([request.method, url, [...headers], await request.text(), redirect, signal.aborted]);
      return reply();
    },
  });
  client.use({
    onRequest: ({ request, schemaPath, params, options: { baseUrl } }) =>
      void seen.push([request.url, schemaPath, params, baseUrl]),
    onResponse: ({ response }) => void seen.push(response.status),
    onError: ({ error }) => (error === 'handled' ? new Response('{}', { status: 418 }) : new Error(`not ${error}`)),
  });
  const result = client.request(method, '/files/{name}', { parseAs: 'stream', ...options });
  const received = await result.then(
    ({ response, error }) => [response.status, error],
    (error: unknown) => error,
  );
  return { sent, seen, received };
}

const path = { name: 'a' };
const list = {
  params: { path, query: { id: ['a b', 2, true], none: [], label: 'ä&=', region: null, size: undefined } },
};
const object = { params: { path, query: { size: { min: 1, max: '2 cm' } } } };
const styles = [true, false].flatMap((explode) => [
  ...(['form', 'spaceDelimited', 'pipeDelimited'] as const).map((style) => ({ ...list, array: { style, explode } })),
  ...(['form', 'deepObject'] as const).map((style) => ({ ...object, object: { style, explode } })),
]);

test.each<[what: string, method: Verb, options: Options]>([
  ...styles.map(({ params, ...query }): [string, Verb, Options] => {
    return [`a query with ${JSON.stringify(query)}`, 'get', { params, querySerializer: query }];
  }),
  ['lists and objects', 'get', { params: { path, query: { ...list.params.query, ...object.params.query } } }],
  ['characters that are not encoded', 'get', { ...list, querySerializer: { allowReserved: true } }],
  ['a query that is a function', 'get', { ...list, querySerializer: () => '?a=1' }],
  ['a list in the path', 'get', { params: { path: { name: ['a', '/', 3] } } }],
  ['an object in the path', 'get', { params: { path: { name: { a: 1, b: '/' } } } }],
  ['a path without its parameter', 'get', { params: { path: {} } }],
  ['another base URL', 'get', { params: { path }, baseUrl: 'http://other.example/' }],
  ['JSON', 'put', { params: { path }, body: { size: 1 } }],
  ['a body of null', 'post', { params: { path }, body: null }],
  ['a body of its own', 'patch', { params: { path }, body: 'a,b', bodySerializer: (body) => body }],
  [
    'headers',
    'delete',
    { headers: { accept: null, 'X-Region': undefined, 'X-A': [1, 2] }, params: { header: { 'X-B': 3 } } },
  ],
  ['headers of the platform', 'get', { headers: new Headers({ accept: 'text/plain' }) }],
  ['a redirect', 'get', { redirect: 'follow' }],
  ['middleware of the call', 'get', { middleware: [{ onResponse: () => Response.json({ a: 1 }, { status: 500 }) }] }],
])('sends and returns the same as openapi-fetch: %s', async (_, method, options) => {
  const reply = () => Response.json({ code: 'no' }, { status: 404 });
  const expected = await outcomeOf(shipped.createFetchClient<Paths>, method, options, reply);
  expect(await outcomeOf(plain.createFetchClient, method, options, reply)).toEqual(expected);
});

test.each<[what: string, reply: () => Response]>([
  ['a success', () => Response.json([1])],
  ['a failure that is text', () => new Response('Bad gateway', { status: 502 })],
  ['a failure without a body', () => new Response('', { status: 500, headers: { 'Content-Length': '0' } })],
  [
    'a lost connection',
    () => {
      throw 'handled';
    },
  ],
  [
    'a failed connection',
    () => {
      throw 'failed';
    },
  ],
])('returns the same as openapi-fetch after %s', async (_, reply) => {
  const expected = await outcomeOf(shipped.createFetchClient<Paths>, 'get', {}, reply);
  expect(await outcomeOf(plain.createFetchClient, 'get', {}, reply)).toEqual(expected);
});
