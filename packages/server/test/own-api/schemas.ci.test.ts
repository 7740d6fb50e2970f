import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formSchema } from '../../../client-core/src/forms/index.ts';
import { pointerStep } from '../../../client-core/src/pointer.ts';
import { dig } from '../../../tooling/src/common/json.ts';
import { kindOf, operationsOf } from '../../../tooling/src/contract/document.ts';
import { bareFor, referenced } from '../../../tooling/src/generate/requests.ts';
import { adoptPaths, type Served, serve } from './serve-contract.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** A schema for each keyword and each kind of name, with bodies that it allows, and one that it does not allow, with the problem. */
const schemas: Record<string, { schema: object; valid: unknown[]; invalid: unknown; where: string }> = {
  allOf: {
    schema: { allOf: [object({ a: text }, { required: ['a'] }), object({ b: { type: 'integer' } })] },
    valid: [{ a: 'x', b: 1 }],
    invalid: { b: 'x' },
    where: 'body/a',
  },
  anyOf: {
    schema: object({ a: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }),
    valid: [{ a: 1 }, { a: true }],
    invalid: { a: 'x' },
    where: 'body/a',
  },
  oneOf: {
    schema: object({ a: { oneOf: [{ type: 'integer' }, { type: 'string', maxLength: 2 }] } }),
    valid: [{ a: 1 }, { a: 'x' }],
    invalid: { a: 'xxx' },
    where: 'body/a',
  },
  not: {
    schema: object({ a: { type: 'string', not: { enum: ['no'] } } }),
    valid: [{ a: 'yes' }],
    invalid: { a: 'no' },
    where: 'body/a',
  },
  ifThenElse: {
    schema: object(
      { kind: { enum: ['a', 'b'] }, size: { type: 'integer' }, name: text },
      // biome-ignore lint/suspicious/noThenProperty: A keyword of JSON Schema.
      { if: { properties: { kind: { const: 'a' } } }, then: { required: ['size'] }, else: { required: ['name'] } },
    ),
    valid: [
      { kind: 'a', size: 1 },
      { kind: 'b', name: 'x' },
    ],
    invalid: { kind: 'a', name: 'x' },
    where: 'body/size',
  },
  patternProperties: {
    schema: { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
    valid: [{ 'x-a': 1 }],
    invalid: { 'x-a': 'x' },
    where: 'body/x-a',
  },
  'patterns that are valid only without the flag u': {
    schema: object({ a: { ...text, pattern: String.raw`^[\w-.]+\_\-\"\.{1}{\p{L}}]$` } }),
    valid: [{ a: 'x-.y_-".{é}]' }],
    invalid: { a: 'x-.y_-".{}]' },
    where: 'body/a',
  },
  unevaluatedProperties: {
    schema: { allOf: [object({ a: text })], properties: { b: text }, type: 'object', unevaluatedProperties: false },
    valid: [{ a: 'x', b: 'y' }],
    invalid: { a: 'x', c: 'z' },
    where: 'body/c',
  },
  additionalProperties: {
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
    valid: [{ any: 1 }],
    invalid: { any: 'x' },
    where: 'body/any',
  },
  propertyNames: {
    schema: { type: 'object', propertyNames: { maxLength: 2 }, additionalProperties: true },
    valid: [{ ab: 1 }],
    invalid: { abc: 1 },
    where: 'body',
  },
  dependentRequired: {
    schema: object({ a: text, b: text }, { dependentRequired: { a: ['b'] } }),
    valid: [{ a: 'x', b: 'y' }, { b: 'y' }],
    invalid: { a: 'x' },
    where: 'body/b',
  },
  dependentSchemas: {
    schema: object(
      { a: text, b: text },
      { dependentSchemas: { a: { properties: { b: { const: 'y' } } } }, example: { b: 'z' } },
    ),
    valid: [{ a: 'x', b: 'y' }, { b: 'z' }],
    invalid: { a: 'x', b: 'z' },
    where: 'body/b',
  },
  prefixItems: {
    schema: object({ a: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, minItems: 2 } }),
    valid: [{ a: ['x', 1] }],
    invalid: { a: ['x', 'y'] },
    where: 'body/a/1',
  },
  contains: {
    schema: object({ a: { type: 'array', items: {}, contains: { const: 1 } } }),
    valid: [{ a: [1, 2] }],
    invalid: { a: [2] },
    where: 'body/a/0',
  },
  const: { schema: object({ a: { const: 'x' } }), valid: [{ a: 'x' }], invalid: { a: 'y' }, where: 'body/a' },
  nullable: {
    schema: object({
      a: { type: ['string', 'null'] },
      b: { anyOf: [{ $ref: '#/components/schemas/const' }, { type: 'null' }] },
    }),
    valid: [
      { a: null, b: null },
      { a: 'x', b: { a: 'x' } },
    ],
    invalid: { a: 1 },
    where: 'body/a',
  },
  defs: {
    schema: {
      $defs: { size: { type: 'integer' } },
      ...object({ a: { $ref: '#/components/schemas/defs/$defs/size' } }),
    },
    valid: [{ a: 1 }],
    invalid: { a: 'x' },
    where: 'body/a',
  },
  recursive: {
    schema: object(
      { name: text, children: { type: 'array', items: { $ref: '#/components/schemas/recursive' } } },
      { required: ['name'] },
    ),
    valid: [{ name: 'a', children: [{ name: 'b', children: [] }] }],
    invalid: { name: 'a', children: [{}] },
    where: 'body/children/0/name',
  },
  mutual: {
    schema: object({ next: { $ref: '#/components/schemas/mutual-2' } }),
    valid: [{ next: { back: { next: {} } } }],
    invalid: { next: { back: 1 } },
    where: 'body/next/back',
  },
  'mutual-2': {
    schema: object({ back: { $ref: '#/components/schemas/mutual' } }),
    valid: [{}],
    invalid: { back: 1 },
    where: 'body/back',
  },
  'my.schema-name': {
    schema: object({ a: { type: 'integer' } }),
    valid: [{ a: 1 }],
    invalid: { a: 'x' },
    where: 'body/a',
  },
  'Größe & mehr': {
    schema: object({ a: { type: 'integer' } }),
    valid: [{ a: 1 }],
    invalid: { a: 'x' },
    where: 'body/a',
  },
  formats: {
    schema: object({
      date: { type: 'string', format: 'date' },
      uuid: { type: 'string', format: 'uuid' },
      email: { type: 'string', format: 'email' },
      uri: { type: 'string', format: 'uri' },
      int32: { type: 'integer', format: 'int32' },
      custom: { type: 'string', format: 'knots' },
    }),
    valid: [
      {
        date: '2026-01-01',
        uuid: '6f1c9a52-7d0b-4a0e-9d55-0f5b8a3c1e77',
        email: 'a@b.example',
        uri: 'https://a.example',
        int32: 1,
        custom: 'any',
      },
    ],
    invalid: { date: '2026-19-39' },
    where: 'body/date',
  },
  discriminator: {
    schema: {
      oneOf: [{ $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cat' }],
      discriminator: { propertyName: 'kind', mapping: { dog: '#/components/schemas/Dog' } },
    },
    valid: [
      { kind: 'dog', bark: 1 },
      { kind: 'Cat', lives: 7 },
    ],
    invalid: { kind: 'dog', lives: 7 },
    where: 'body/bark',
  },
  'no discriminator': {
    schema: {
      oneOf: [{ $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cat' }],
      discriminator: { propertyName: 'kind', mapping: { dog: '#/components/schemas/Dog' } },
    },
    valid: [{ kind: 'dog', bark: 1 }],
    invalid: {},
    where: 'body/kind',
  },
  'names with other letters': {
    schema: object({ 'größe in m': { type: 'integer' }, '"x"': { type: 'integer' } }, { required: ['"x"'] }),
    valid: [{ 'größe in m': 1, '"x"': 2 }],
    invalid: { 'größe in m': 'x' },
    where: 'body/"x"',
  },
  'names with slashes and tildes': {
    schema: object(
      { 'a/b': { type: 'integer' }, 'c~d': { type: 'integer' } },
      { required: ['a/b'], additionalProperties: false, example: { 'a/b': 1 } },
    ),
    valid: [{ 'a/b': 1, 'c~d': 2 }],
    invalid: { 'c~d': 'x', 'e/f~g': 1 },
    where: 'body/a~1b',
  },
  'names with slashes of which some are unevaluated': {
    schema: { allOf: [object({ 'a/b': text })], type: 'object', unevaluatedProperties: false },
    valid: [{ 'a/b': 'x' }],
    invalid: { 'c/d~e': 1 },
    where: 'body/c~1d~0e',
  },
  'names of methods that all objects have': {
    schema: object(
      { toString: { type: 'integer' }, constructor: { type: 'integer' }, valueOf: text },
      { required: ['constructor'], dependentRequired: { toString: ['valueOf'] }, additionalProperties: false },
    ),
    valid: [{ constructor: 1 }, { constructor: 1, toString: 2, valueOf: 'x' }],
    invalid: { toString: 1, hasOwnProperty: 1 },
    where: 'body/constructor',
  },
};

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const paths = Object.fromEntries(
  Object.keys(schemas).map((name, index) => {
    const schema = { $ref: `#/components/schemas/${encodeURIComponent(name)}` };
    const requestBody = { required: true, ...json(schema) };
    const operationId = `echo${index}`;
    const responses = { 200: { description: 'The same', ...json(schema) } };
    return [`/${index}`, { post: { operationId, tags: ['Echo'], requestBody, responses } }];
  }),
);
const account = object(
  {
    id: { type: 'integer', readOnly: true },
    name: text,
    password: { type: 'string', writeOnly: true },
  },
  { required: ['id', 'name', 'password'] },
);
const adopted = adoptPaths(
  {
    ...paths,
    '/guests': {
      post: {
        operationId: 'addGuest',
        requestBody: {
          required: true,
          ...json(object({ name: text, role: { ...text, default: 'guest' } }, { required: ['name', 'role'] })),
        },
        responses: { 204: { description: 'Done' } },
      },
    },
    '/accounts': {
      post: {
        operationId: 'addAccount',
        requestBody: { required: true, ...json({ $ref: '#/components/schemas/Account' }) },
        responses: { 200: { description: 'It', ...json({ $ref: '#/components/schemas/Account' }) } },
      },
    },
  },
  {
    schemas: {
      ...Object.fromEntries(Object.entries(schemas).map(([name, { schema }]) => [name, schema])),
      Account: account,
      Dog: object({ kind: { const: 'dog' }, bark: { type: 'integer' } }, { required: ['kind', 'bark'] }),
      Cat: object({ kind: { const: 'Cat' }, lives: { type: 'integer' } }, { required: ['kind', 'lives'] }),
    },
  },
);

/** What the operations return instead of the body that they receive. */
let answer: unknown;
let service: Served;
beforeAll(async () => {
  const echo = async ({ body }: { body?: unknown }) => ({ status: 200, body: answer ?? body });
  const ids = [...Object.keys(schemas).map((_, index) => `echo${index}`), 'addAccount'];
  service = await serve(adopted, Object.fromEntries(ids.map((id) => [id, echo])));
});
afterAll(async () => service[Symbol.asyncDispose]());

async function send(path: string, body: unknown, answered?: unknown): Promise<[status: number, body: unknown]> {
  answer = answered;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return [response.status, await response.json()];
}

test('all of them are served', () => {
  expect(adopted.refused).toEqual([]);
});

describe.each(Object.entries(schemas))('%s', (name, { valid, invalid, where }) => {
  const path = `/${Object.keys(schemas).indexOf(name)}`;

  test('allows the same in requests and responses', async () => {
    for (const body of valid) expect(await send(path, body)).toEqual([200, body]);
  });

  test('refuses the same in requests and responses', async () => {
    const [status, problem] = await send(path, invalid);
    expect([status, dig(problem, 'details', '0', 'where')]).toEqual([400, where]);
    expect((await send(path, valid[0], invalid))[0]).toBe(500);
  });
});

/** What the generated form of an operation says about a body, as `details`. */
function saidByForm(id: string, body: unknown): string[] {
  const { document } = adopted;
  const bare = bareFor(document, 'readOnly');
  const { body: declared } = operationsOf(document).find(({ operation }) => operation.operationId === id) ?? {};
  const [, media] = Object.entries(declared?.content ?? {}).find(([type]) => kindOf(type) === 'json') ?? [];
  const schema = bare(media?.schema);
  const definitions = Object.entries(referenced(document, bare, schema)).map(([name, one]) => [name, Object(one)]);
  const form = formSchema(Object(schema), Object.fromEntries(definitions));
  const { issues = [] } = form['~standard'].validate(body);
  return issues
    .map(({ path, message }) => `${['body', ...path.map((step) => pointerStep(String(step)))].join('/')} ${message}`)
    .sort();
}

/** What the server says about a body. */
async function saidByServer(path: string, body: unknown): Promise<string[]> {
  const [status, answered] = await send(path, body);
  const { details = [] } = Object(answered);
  return status === 400 ? details.map(({ where, what }: Record<string, string>) => `${where} ${what}`).sort() : [];
}

describe('a form says the same as the server about', () => {
  test.each(Object.entries(schemas))('%s', async (name, { valid, invalid }) => {
    const index = Object.keys(schemas).indexOf(name);
    for (const body of [...valid, invalid, null, {}]) {
      const server = await saidByServer(`/${index}`, body);
      // Each item that is not contained has a problem of its own on the server.
      const expected = name === 'contains' ? server.filter((line) => !/^body\/a\/\d/.test(line)) : server;
      expect({ body, said: saidByForm(`echo${index}`, body) }).toEqual({ body, said: expected });
    }
  });

  test('a property that is readOnly', async () => {
    const body = { id: 1, name: 'a', password: 'secret' };
    expect(await saidByServer('/accounts', body)).toEqual(['body/id is read-only']);
    expect(saidByForm('addAccount', body)).toEqual(['body/id is read-only']);
  });

  test('a property with a default, which may be missing', async () => {
    expect(await saidByServer('/guests', {})).toEqual(['body/name is required']);
    expect(saidByForm('addGuest', {})).toEqual(['body/name is required']);
  });
});

describe('readOnly and writeOnly', () => {
  const sent = { name: 'a', password: 'secret' };

  test('a property that is readOnly is refused in requests, and required in responses', async () => {
    expect(await send('/accounts', { ...sent, id: 1 })).toMatchObject([
      400,
      { details: [{ where: 'body/id', what: 'is read-only' }] },
    ]);
    expect((await send('/accounts', sent, { name: 'a' }))[0]).toBe(500);
  });

  test('a property that is writeOnly is required in requests, and never sent', async () => {
    expect(await send('/accounts', { name: 'a' })).toMatchObject([
      400,
      { details: [{ where: 'body/password', what: 'is required' }] },
    ]);
    expect(await send('/accounts', sent, { id: 1, name: 'a' })).toEqual([200, { id: 1, name: 'a' }]);
    expect((await send('/accounts', sent, { id: 1, ...sent }))[0]).toBe(500);
  });

  test('also if VALIDATE_RESPONSES is off, as in production', async () => {
    const leak = async () => ({ status: 200, body: { id: 1, ...sent } });
    await using unchecked = await serve(adopted, { addAccount: leak }, { VALIDATE_RESPONSES: 'false' });
    const ask = (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      return fetch(unchecked.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    expect((await ask('/accounts', sent)).status).toBe(500);
  });
});
