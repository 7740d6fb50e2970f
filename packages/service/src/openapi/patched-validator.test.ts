import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { type Listening, listenOnLoopback } from '../../../testing/src/listen.ts';

type Document = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const responses = { 200: { description: 'All is well.' } };
const inQuery = { in: 'query' } as const;

/** A contract with features that ours does not use, and others do: lists in several forms, and headers. The service has its own code for the rest. */
const otherContract: Document = {
  openapi: '3.0.3',
  info: { title: 'Another contract', version: '1.0.0' },
  paths: {
    '/lists': {
      get: {
        parameters: [
          { ...inQuery, name: 'many', schema: { type: 'array', items: integer } },
          { ...inQuery, name: 'commas', explode: false, schema: { type: 'array', items: text } },
          {
            ...inQuery,
            name: 'pipes',
            style: 'pipeDelimited',
            explode: false,
            schema: { type: 'array', items: integer },
          },
          { ...inQuery, name: 'plain', schema: text },
          { ...inQuery, name: 'reserved', allowReserved: true, schema: text },
        ],
        responses,
      },
    },
    '/bodies': {
      post: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Named' } } },
        },
        responses,
      },
    },
    '/sized': { get: { parameters: [{ in: 'header', name: 'X-Size', schema: integer }], responses } },
  },
  components: {
    schemas: {
      Named: { type: 'object', required: ['name'], properties: { name: text, size: { ...integer, default: 4 } } },
    },
  },
};

/** The patch skips work that our contract does not need, so a contract with more features shows that nothing else changed. */
const app = express();
app.set('query parser', 'simple');
app.use(express.json());
app.use(
  middleware({
    apiSpec: otherContract,
    validateApiSpec: false,
    fileUploader: false,
  }),
);
app.use(({ query, params, body }, response) => void response.json({ query, params, body }));
const refuse: ErrorRequestHandler = ({ status = 500, errors = [] }, _request, response, _next) => {
  response.json([status, ...errors.map(({ path, message }: Record<string, string>) => `${path}: ${message}`)]);
};
app.use(refuse);

let server: Listening;
beforeAll(async () => {
  server = await listenOnLoopback(createServer(app));
});
afterAll(() => server.stop());

async function outcomeOf(path: string, headers: Record<string, string> = {}, body?: string): Promise<unknown> {
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(`${server.origin}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  return response.json();
}

/** The result of version 5.6.2 without the patch for each query: the parsed query, or the error. */
const queries: [address: string, outcome: unknown][] = [
  ['/lists', {}],
  ['/lists?many=1', { many: [1] }],
  ['/lists?many=1&many=2', { many: [1, 2] }],
  [
    '/lists?many=1,2',
    [400, "/query/many: Parameter 'many' must be url encoded. Its value may not contain reserved characters."],
  ],
  ['/lists?many=a', [400, '/query/many/0: must be integer']],
  ['/lists?commas=a,b', { commas: ['a', 'b'] }],
  ['/lists?commas=a%2Cb', { commas: ['a', 'b'] }],
  ['/lists?commas=', [400, "/query/commas: Empty value found for query parameter 'commas'"]],
  ['/lists?pipes=1|2', { pipes: [1, 2] }],
  ['/lists?pipes=1%7Cx', [400, '/query/pipes/1: must be integer']],
  [
    '/lists?plain=a/b',
    [400, "/query/plain: Parameter 'plain' must be url encoded. Its value may not contain reserved characters."],
  ],
  ['/lists?plain=a%2Fb', { plain: 'a/b' }],
  ['/lists?reserved=a/b', { reserved: 'a/b' }],
  ['/lists?other=1', [400, "/query/other: Unknown query parameter 'other'"]],
  ['/lists?plain', [400, "/query/plain: Empty value found for query parameter 'plain'"]],
  ['/lists?plain=', [400, "/query/plain: Empty value found for query parameter 'plain'"]],
];

describe('the patched validator behaves as the original does', () => {
  // Twice, because the first request fills the cache that the second one uses.
  test.each([...queries, ...queries])('%s', async (address, outcome) => {
    const seen = await outcomeOf(address);
    expect(Array.isArray(seen) ? seen : Object(seen).query).toEqual(outcome);
  });

  test('bodies, whose defaults are filled in', async () => {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect(await outcomeOf('/bodies', json, '{"name":"a"}')).toMatchObject({ body: { name: 'a', size: 4 } });
    expect(await outcomeOf('/bodies', json, '{"size":"4"}')).toEqual([
      400,
      "/body/name: must have required property 'name'",
    ]);
    expect(await outcomeOf('/bodies', { 'content-type': 'text/plain' }, 'a')).toEqual([
      415,
      '/bodies: unsupported media type text/plain',
    ]);
  });

  test('headers', async () => {
    expect(await outcomeOf('/sized', { 'x-size': '7' })).toMatchObject({ query: {} });
    expect(await outcomeOf('/sized', { 'x-size': 'a' })).toEqual([400, '/headers/x-size: must be integer']);
  });
});
