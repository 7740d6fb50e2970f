/** What a contract may have that was written without this service in mind: each with a request. All are operations of one contract. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { AnyCall, AnyResult } from '../../../service/src/openapi/operation.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { Adopted } from '../../../tooling/src/effective/adopt.ts';
import { adoptPaths, type Served, serve } from './serve-contract.ts';

type Case = {
  what: string;
  /** Default: `/` and the name of the case. */
  path?: string;
  method?: string;
  operation?: object;
  /** The parameters of its path. */
  shared?: object[];
  /** Default: a 200 with what it received. */
  code?: (call: AnyCall) => AnyResult;
  headers?: Record<string, string>;
  /** Requests: the end of the URL, and the body as JSON. */
  sent: [string, unknown?][];
  /** The status of each response, or its body as text or JSON. */
  answers: unknown[];
  /** A part of the note about it. */
  note?: string;
};

const text = { type: 'string' };
const json = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } });
const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
const header = (name: string, more: object = {}) => ({ name, in: 'header', schema: text, ...more });
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: text });
const body = (schema: object, more: object = {}) => ({ requestBody: { required: true, ...json(schema, more) } });
const kinds = (schema: object) => ({ 200: { description: 'Fine.', ...json(schema) } });
const boat = {
  oneOf: [{ $ref: '#/components/schemas/Sailing' }, { $ref: '#/components/schemas/Motor' }],
  discriminator: {
    propertyName: 'kind',
    mapping: { S: '#/components/schemas/Sailing', M: '#/components/schemas/Motor' },
  },
};
const refusal = { type: 'object', required: ['error'], properties: { error: text } };

const cases: Record<string, Case> = {
  noExample: {
    what: 'a body for which no example can be made',
    operation: body({ type: 'object', properties: { a: { ...text, pattern: '^(?=a)(?!a)$' } }, required: ['a'] }),
    sent: [['', { a: 'b' }]],
    answers: [400],
  },
  wrongExample: {
    what: 'an example that its schema does not allow',
    operation: body({ type: 'integer' }, { example: 'three' }),
    sent: [['', 3]],
    answers: [{ body: 3 }],
  },
  slash: { what: 'a path with a slash at its end', path: '/slash/', sent: [[''], ['?x=1']], answers: [{}, 400] },
  override: {
    what: 'a parameter in place of one of the path',
    shared: [query('size', text, { required: true }), query('at', text)],
    operation: { parameters: [query('size', { type: 'integer' })] },
    sent: [['?size=3&at=x'], ['?size=x']],
    answers: [{ query: { size: 3, at: 'x' } }, 400],
  },
  sameName: {
    what: 'parameters of one name in the path, in the query and in a header, and one named body',
    path: '/same/{id}',
    operation: { parameters: [inPath('id'), query('id', { type: 'integer' }), header('id'), query('body', text)] },
    sent: [['?id=3&body=x'], ['?id=x']],
    answers: [{ path: { id: '{id}' }, query: { id: 3, body: 'x' } }, 400],
  },
  otherMethod: {
    what: 'a path that differs from another one in the name of a parameter and in its methods',
    path: '/same/{other}',
    method: 'put',
    operation: { parameters: [inPath('other')] },
    sent: [['']],
    answers: [{ path: { other: '{other}' } }],
  },
  suffix: {
    what: 'text after a parameter in a segment',
    path: '/reports/{id}.pdf',
    operation: { parameters: [inPath('id')] },
    sent: [[''], ['']],
    answers: [{ path: { id: '{id}' } }, 200],
  },
  otherName: {
    what: 'a parameter with a hyphen, at the place of one with another name',
    path: '/reports/{report-id}.pdf/{page}',
    operation: { parameters: [inPath('report-id'), inPath('page')] },
    sent: [['']],
    answers: [{ path: { 'report-id': '{report-id}', page: '{page}' } }],
  },
  two: {
    what: 'two parameters in a segment',
    path: '/ranges/{from}-{until}',
    operation: { parameters: [inPath('from'), inPath('until')] },
    sent: [['']],
    answers: [{ path: { from: '{from}', until: '{until}' } }],
  },
  empty: {
    what: 'allowEmptyValue',
    operation: { parameters: [query('a', { type: 'boolean' }, { allowEmptyValue: true })] },
    sent: [['?a=true'], ['?a=']],
    answers: [{ query: { a: true } }, 400],
    note: 'allowEmptyValue is left out',
  },
  keyword: {
    what: 'keywords that OpenAPI does not have',
    operation: body({ type: 'object', min_items: 3, properties: { a: { ...text, optional: true } } }),
    sent: [['', { a: 'b' }]],
    answers: [{ body: { a: 'b' } }],
  },
  noContent: {
    what: 'content of a 204',
    operation: { responses: { 204: { description: 'Done.', ...json({ type: 'object' }) } } },
    code: () => ({ status: 204 }),
    sent: [['']],
    answers: [204],
    note: 'The body of a 204',
  },
  headers: {
    what: "HTTP's own headers as parameters, and cookies",
    operation: {
      parameters: [
        header('Connection', { required: true }),
        header('content-type', { required: true }),
        header('X-Own'),
        { name: 'c', in: 'cookie', schema: text },
      ],
    },
    sent: [['']],
    answers: [{ header: {} }],
    note: 'Connection is a header of HTTP',
  },
  noKeys: {
    what: 'Idempotency-Key in a contract without security',
    operation: { parameters: [header('Idempotency-Key')], ...body({ type: 'object' }) },
    headers: { 'Idempotency-Key': 'k1' },
    sent: [['', {}]],
    answers: [{ header: { 'idempotency-key': 'k1' } }],
  },
  headerCase: {
    what: 'another case of the name of a header',
    method: 'post',
    operation: { parameters: [header('if-MATCH')] },
    sent: [['']],
    answers: [{ header: {} }],
  },
  comma: {
    what: 'a list with commas, vertical bars or spaces',
    operation: {
      parameters: [
        query('ids', { type: 'array', items: { type: 'integer' } }, { explode: false }),
        query('bars', { type: 'array', items: text }, { style: 'pipeDelimited' }),
        query('words', { type: 'array', items: text }, { style: 'spaceDelimited' }),
        query('each', { type: 'array', items: text }, { style: 'deepObject' }),
      ],
    },
    sent: [
      ['?ids=1,2'],
      ['?ids=1&ids=2'],
      ['?ids=1,x'],
      ['?bars=a|b&words=c%20d'],
      ['?bars=a%7Cb&words=c+d'],
      ['?each[]=a&each[]=b'],
      ['?each%5B%5D=a'],
    ],
    answers: [
      { query: { ids: [1, 2] } },
      { query: { ids: [1, 2] } },
      400,
      { query: { bars: ['a', 'b'], words: ['c', 'd'] } },
      { query: { bars: ['a', 'b'], words: ['c', 'd'] } },
      { query: { 'each[]': ['a', 'b'] } },
      { query: { 'each[]': ['a'] } },
    ],
  },
  deep: {
    what: 'a deepObject in the query',
    operation: {
      parameters: [
        query(
          'filter',
          {
            type: 'object',
            required: ['state'],
            properties: {
              state: text,
              size: { type: 'object', properties: { least: { type: 'integer' } } },
            },
          },
          { style: 'deepObject', required: true },
        ),
        query(
          'at',
          { anyOf: [{ type: 'object', properties: { gt: { type: 'integer' } } }, { type: 'integer' }] },
          { style: 'deepObject' },
        ),
      ],
    },
    sent: [
      ['?filter[state]=open&filter[size][least]=2'],
      ['?filter%5Bstate%5D=open&at=3'],
      ['?filter[state]=open&at[gt]=3'],
      ['?filter[size][least]=x'],
    ],
    answers: [
      { query: { 'filter[state]': 'open', 'filter[size][least]': 2 } },
      { query: { 'filter[state]': 'open', at: 3 } },
      { query: { 'at[gt]': 3 } },
      400,
    ],
    note: 'An object in the query is a parameter for each of its properties',
  },
  form: {
    what: 'an object in the query',
    operation: { parameters: [query('page', { type: 'object', properties: { limit: { type: 'integer' } } })] },
    sent: [['?limit=3'], ['?limit=x']],
    answers: [{ query: { limit: 3 } }, 400],
  },
  union: {
    what: 'unions in the query',
    operation: {
      parameters: [
        query('at', { oneOf: [{ type: 'integer' }, text] }),
        query('in', { anyOf: [text, { type: 'array', items: text }] }),
        query('by', { type: ['integer', 'null'] }),
      ],
    },
    sent: [['?at=now&in=a'], ['?at=5&in=a&in=b&by=3'], ['?by=x']],
    answers: [{ query: { at: 'now', in: 'a' } }, { query: { in: ['a', 'b'], by: 3 } }, 400],
  },
  content: {
    what: 'a parameter with content',
    operation: {
      parameters: [{ name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } }],
    },
    sent: [['?filter=%7B%22a%22%3A1%7D']],
    answers: [{ query: { filter: '{"a":1}' } }],
    note: 'The operation reads application/json in a parameter as text',
  },
  cents: {
    what: 'multipleOf 0.01',
    operation: {
      ...body({ type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } }),
      parameters: [query('least', { type: 'number', multipleOf: 0.01 })],
      responses: kinds({ type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } }),
    },
    code: ({ body }) => ({ status: 200, body }),
    sent: [
      ['?least=0.07', { price: 0.07 }],
      ['', { price: 0.075 }],
    ],
    answers: [{ price: 0.07 }, 400],
  },
  boats: {
    what: 'a discriminator with a mapping',
    operation: { ...body(boat), responses: kinds(boat) },
    code: ({ body }) => ({ status: 200, body }),
    sent: [
      ['', { kind: 'M', power: 5 }],
      ['', { kind: 'M', sails: 2 }],
    ],
    answers: [{ kind: 'M', power: 5 }, 400],
  },
  wrongBoat: {
    what: 'a response with a discriminator that it does not fit',
    operation: { responses: kinds(boat) },
    code: () => ({ status: 200, body: { kind: 'M', sails: 2 } }),
    sent: [['']],
    answers: [500],
  },
  pattern: {
    what: 'a parameter with a pattern that is valid only without the flag u',
    operation: { parameters: [query('a', { ...text, pattern: String.raw`^\d\-[\w\:]+$` })] },
    sent: [['?a=1-b:c'], ['?a=1b']],
    answers: [{ query: { a: '1-b:c' } }, 400],
  },
  events: {
    what: 'a stream as the only response of a POST',
    operation: {
      ...body({ type: 'object' }),
      responses: { 200: { description: 'Fine.', content: { 'text/event-stream': { schema: { type: 'integer' } } } } },
    },
    code: ({ body, transaction }) => ({ status: 200, body: piecesOf(body, transaction) }),
    sent: [['', { size: 2 }]],
    answers: ['data: 2\n\ndata: 3\n\n'],
  },
  noSchema: {
    what: 'JSON without a schema',
    operation: {
      requestBody: { content: { 'application/json; charset=utf-8': {} } },
      responses: { 200: { description: 'Fine.', content: { 'application/json': {} } } },
    },
    sent: [['', { a: [1] }]],
    answers: [{ body: { a: [1] } }],
  },
  anyType: {
    what: 'ranges of media types, which are bytes without a schema, and other names of JSON',
    operation: {
      requestBody: {
        content: { 'text/json': { schema: refusal }, 'application/*+json': { schema: refusal } },
      },
      responses: { 200: { description: 'Fine.', content: { '*/*': {}, 'image/*': {} } } },
    },
    code: () => ({ status: 200, body: new TextEncoder().encode('{}') }),
    sent: [
      ['', { error: 'a' }],
      ['', { error: 1 }],
    ],
    answers: [200, 400],
    note: 'text/json is left out',
  },
  formUnion: {
    what: 'a field of a form that is an object or one of some texts',
    operation: {
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              properties: {
                data: {
                  anyOf: [
                    { type: 'object', additionalProperties: text },
                    { ...text, enum: [''] },
                  ],
                },
              },
            },
          },
        },
      },
    },
    sent: [
      ['', new URLSearchParams({ data: '{"a":"b"}' })],
      ['', new URLSearchParams({ data: '' })],
      ['', new URLSearchParams({ data: 'c' })],
    ],
    answers: [{ body: { data: { a: 'b' } } }, { body: { data: '' } }, 400],
  },
  getBody: {
    what: 'an optional body of GET',
    operation: { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } } },
    method: 'get',
    sent: [['']],
    answers: [200],
    note: 'The optional body of a GET',
  },
  remove: {
    what: 'DELETE with a body',
    method: 'delete',
    operation: body({ type: 'object', required: ['ids'], properties: { ids: { type: 'array', items: text } } }),
    sent: [
      ['', { ids: ['a'] }],
      ['', {}],
    ],
    answers: [{ body: { ids: ['a'] } }, 400],
  },
  plain: {
    what: 'an error that is text, with an object as its schema',
    operation: {
      responses: {
        200: { description: 'Fine.' },
        409: { description: 'Taken.', content: { 'text/plain': { schema: refusal } } },
      },
    },
    code: () => ({ status: 409, body: 'taken' }),
    sent: [['']],
    answers: [409],
    note: 'text/plain is text',
  },
  ids: {
    what: 'examples with a member $id, twice',
    operation: {
      requestBody: json({
        type: 'object',
        properties: { $id: text },
        examples: [{ $id: 'one' }],
        example: { $id: 'one' },
      }),
    },
    sent: [['', { $id: 'one' }]],
    answers: [{ body: { $id: 'one' } }],
  },
  own: {
    what: 'errors as written, with the status of their own or of a range',
    operation: {
      parameters: [query('status', { type: 'integer' })],
      responses: {
        200: { description: 'Fine.' },
        404: { description: 'Gone.' },
        422: { description: 'Wrong.', ...json(refusal) },
        '5XX': { description: 'Broken.', ...json({ type: 'object', properties: { broken: text } }) },
      },
    },
    code: ({ query }) => {
      const { status } = Object(query);
      return { status, body: { 404: undefined, 422: { error: 'too long' }, 502: { broken: 'yes' } }[Number(status)] };
    },
    sent: [['?status=422'], ['?status=502'], ['?status=404'], ['?status=x'], ['?status=418']],
    answers: [{ error: 'too long' }, { broken: 'yes' }, 404, { code: 'invalid_request', status: 400 }, 500],
  },
};

const components = {
  schemas: {
    Sailing: { type: 'object', required: ['kind'], properties: { kind: text, sails: { type: 'integer' } } },
    Motor: { type: 'object', required: ['kind', 'power'], properties: { kind: text, power: { type: 'integer' } } },
  },
};
const anything = { 200: { description: 'Fine.', content: { 'application/json': {} } } };
const names = Object.keys(cases);

function methodOf({ method, operation = {} }: Case): string {
  return method ?? ('requestBody' in operation ? 'post' : 'get');
}

function pathOf(name: string, { path }: Case): string {
  return path ?? `/${name}`;
}

let adopted: Adopted;
let served: Served;
beforeAll(async () => {
  const paths = Object.entries(cases).map(([name, one]) => [
    pathOf(name, one),
    { parameters: one.shared ?? [], [methodOf(one)]: { operationId: name, responses: anything, ...one.operation } },
  ]);
  adopted = adoptPaths(Object.fromEntries(paths), components);
  const operations = Object.entries(cases).map(([name, { code = received }]) => [
    name,
    async (call: AnyCall) => code(call),
  ]);
  served = await serve(adopted, Object.fromEntries(operations));
}, 120_000);
afterAll(async () => served[Symbol.asyncDispose]());

/** An operation that streams gets no transaction, and begins its own. */
async function* piecesOf(body: unknown, transaction: unknown): AsyncGenerator<number> {
  yield Object(body).size;
  if (typeof transaction === 'function') yield 3;
}

function received({ query, path, header, body }: AnyCall): AnyResult {
  return { status: 200, body: { query, path, header, body } };
}

test('no operation is refused, and each difference is noted', () => {
  expect(adopted.refused).toEqual([]);
  expect(adopted.served).toHaveLength(names.length);
  for (const [name, one] of Object.entries(cases)) {
    const key = `${methodOf(one).toUpperCase()} ${pathOf(name, one)}`;
    const notes = adopted.changes.filter(({ operations }) => operations.includes(key)).map(({ change }) => change);
    if (one.note === undefined) expect([name, adopted.asWritten.includes(key)]).toEqual([name, true]);
    else expect(notes).toContainEqual(expect.stringContaining(one.note));
  }
});

describe('the start says which error of the server does not fit the contract:', () => {
  const code = (...codes: string[]) => ({ type: 'object', properties: { code: { enum: codes } } });
  const closed = {
    type: 'object',
    properties: { code: text, message: text, status: {}, documentation: text },
    additionalProperties: false,
  };

  test.each<[what: string, schema: object, sentence?: string]>([
    [
      'one of several codes',
      code('invalid_request'),
      'The error invalid_json of the server does not fit the schema of 400',
    ],
    ['the details of a request', closed, 'The error invalid_request of the server does not fit the schema of 400'],
    ['none', code('invalid_request', 'invalid_json')],
  ])('%s', async (_, schema, sentence = 'does not fit') => {
    const responses = { 200: { description: 'Fine.' }, 400: { description: 'Wrong.', ...json(schema) } };
    const paths = { '/a': { post: { ...body({}), responses } } };
    await using server = await serve(adoptPaths(paths), {});
    expect(server.log().includes(sentence)).toBe(sentence !== 'does not fit');
  });
});

test('an error of a contract in 2.0 that is an object is JSON, whatever the operation produces', async () => {
  const responses = {
    200: { description: 'Fine.', schema: { type: 'string', format: 'binary' } },
    404: { description: 'Gone.', schema: { $ref: '#/definitions/Refusal' } },
  };
  const paths = { '/a': { get: { operationId: 'a', produces: ['application/x-tar', 'text/plain'], responses } } };
  const old = { openapi: undefined, swagger: '2.0', components: undefined, definitions: { Refusal: refusal } };
  const a = async () => ({ status: 404, body: { error: 'gone' } });
  await using server = await serve(adoptPaths(paths, {}, old), { a });
  const response = await fetch(`${server.origin}/a`);
  expect([response.status, await response.json()]).toEqual([404, { error: 'gone' }]);
});

describeOnPostgres('own api', (postgres) =>
  test('a text that PostgreSQL cannot store is a 400', async () => {
    const client = new Client(await postgres.freshUrl());
    await client.connect();
    const statements = { text: 'SELECT $1::text', json: 'SELECT $1::jsonb' };
    const operations = Object.entries(statements).map(([id, statement]) => [
      id,
      async () => ({ status: 200, body: await client.query(statement, [id === 'json' ? '"\\u0000"' : '\0']) }),
    ]);
    const paths = Object.keys(statements).map((id) => [`/${id}`, { get: { operationId: id, responses: anything } }]);
    await using server = await serve(adoptPaths(Object.fromEntries(paths)), Object.fromEntries(operations));
    for (const id of Object.keys(statements)) expect((await fetch(`${server.origin}/${id}`)).status).toBe(400);
    await client.end();
  }),
);

describe('served is', () => {
  test.each(Object.entries(cases).map(([name, one]) => ({ name, ...one })))('$what', async ({ name, ...one }) => {
    for (const [index, [end, sent]] of one.sent.entries()) {
      const isForm = sent instanceof URLSearchParams;
      const isJson = sent !== undefined && !isForm;
      const response = await fetch(`${served.origin}${encodeURI(pathOf(name, one))}${end}`, {
        method: methodOf(one).toUpperCase(),
        headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...one.headers },
        ...(isForm ? { body: sent } : isJson ? { body: JSON.stringify(sent) } : {}),
      });
      const answer = one.answers[index];
      const text = await response.text();
      if (typeof answer === 'string') expect(text).toBe(answer);
      else if (typeof answer === 'number') expect([response.status, text]).toEqual([answer, text]);
      else expect(JSON.parse(text)).toMatchObject(Object(answer));
    }
  });
});
