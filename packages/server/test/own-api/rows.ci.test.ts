/** What contracts do that were once accepted and then wrong: each is served as it says, or refused with a sentence. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Problem } from '../../../service/src/openapi/error-body.ts';
import { type Adopted, adopt } from '../../../tooling/src/effective/adopt.ts';
import { startDocument } from '../second-contract/start.ts';
import { serve } from './serve-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rows-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Contract = { servers?: object[]; components?: object; [further: string]: unknown };

/** What is made of the paths; each is a GET, unless it says otherwise. */
function adoptPaths(paths: Record<string, object>, contract: Contract = {}): Adopted {
  const file = join(folder, 'openapi.json');
  const items = Object.entries(paths).map(([path, item]) => [path, 'responses' in item ? { get: item } : item]);
  const info = { title: 'Harbour', version: '1' };
  writeFileSync(
    file,
    JSON.stringify({ openapi: '3.1.0', info, ...contract, paths: Object.fromEntries(items) }, null, 1),
  );
  return adopt(file, 'harbour');
}

const answers = (schema: object, more: object = {}) => ({
  responses: { 200: { description: 'Fine.', content: { 'application/json': { schema, ...more } } } },
});
const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const body = (schema: object, more: object = {}) => ({
  requestBody: { required: true, content: { 'application/json': { schema, ...more } } },
});
const refusals = ({ refused }: Adopted) => refused.map(({ reason }) => reason.replace(/^.*?(?=openapi\.json)/, ''));
const notes = ({ changes }: Adopted) => changes.map(({ change }) => change).join('\n');

test('a contract without anything of the service is served: nothing is counted, no key is needed, and nothing mentions them', async () => {
  const { document, served } = adoptPaths({ '/berths': answers(text) }, { servers: [{ url: 'https://a.example' }] });
  expect(served).toEqual(['GET /berths']);
  await using harbour = await startDocument(document);
  for (let count = 0; count < 200; count += 1) {
    const response = await fetch(`${harbour.origin}/berths`, { headers: { authorization: `Bearer ${count}` } });
    expect([response.status, response.headers.has('x-ratelimit-limit')]).toEqual([200, false]);
  }
  const errors = [await fetch(`${harbour.origin}/gone`), await fetch(`${harbour.origin}/berths`, { method: 'DELETE' })];
  expect(errors.map(({ status }) => status)).toEqual([404, 405]);
  for (const { headers } of errors)
    expect(headers.has('x-ratelimit-limit') || headers.has('www-authenticate')).toBe(false);
  const published = JSON.stringify((await harbour.send('/openapi.json'))[1]);
  expect(published).not.toMatch(/rate_limited|key_banned|api_key|X-Key-Expires|X-RateLimit-Reset|x-rate-limits/);
});

describe('the base path', () => {
  test('is that of the first server, with the defaults of its variables', async () => {
    const url = 'https://{region}.harbour.example/{version}/api';
    const variables = { region: { default: 'north' }, version: { default: 'v7' } };
    const { document } = adoptPaths({ '/berths': answers(text) }, { servers: [{ url, variables }] });
    await using harbour = await startDocument(document);
    expect(await harbour.send('/v7/api/berths')).toEqual([200, 'text']);
  });

  test('may end in a slash, and an address that is no URL is left out', async () => {
    const adopted = adoptPaths(
      { '/berths': answers(text) },
      { servers: [{ url: 'https://<your host>/api' }, { url: 'https://harbour.example/api/' }] },
    );
    expect(notes(adopted)).toContain('Servers whose address is not a URL are left out.');
    await using harbour = await startDocument(adopted.document);
    expect(await harbour.send('/api/berths')).toEqual([200, 'text']);
  });

  test.each([
    ['no variables', {}],
    ['a variable without a default', { variables: { version: { description: 'A version.' } } }],
  ])('of a URL with %s cannot be known, so the server is left out', (_, more) => {
    const adopted = adoptPaths({ '/a': answers(text) }, { servers: [{ url: 'https://a.example/{version}', ...more }] });
    expect(notes(adopted)).toContain('Servers whose address is not a URL are left out.');
    expect(adopted.served).toEqual(['GET /a']);
  });
});

describe('schemas', () => {
  test('allOf of two objects is checked as one', async () => {
    const both = { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] };
    const schemas = {
      A: object({ a: text }, { required: ['a'] }),
      B: object({ b: text }, { required: ['b'], additionalProperties: true }),
    };
    const { document } = adoptPaths(
      { '/a': { get: answers(both), post: { ...body(both), ...answers(both) } } },
      {
        components: { schemas },
      },
    );
    await using harbour = await startDocument(document);
    expect(await harbour.send('/a')).toEqual([200, { a: 'text', b: 'text' }]);
    expect((await harbour.send('/a', { a: 'x', b: 'y' }))[0]).toBe(200);
    expect(await harbour.send('/a', { a: 'x' })).toEqual([
      400,
      expect.objectContaining({ details: [{ where: 'body/b', what: 'is required' }] }),
    ]);
  });

  test('a writeOnly property is not sent', async () => {
    const card = object({ name: text, code: { type: 'string', writeOnly: true } });
    const adopted = adoptPaths({ '/a': answers(card), '/b': answers(card, { example: { name: 'x', code: '1' } }) });
    await using harbour = await startDocument(adopted.document, {
      getA: async () => ({ status: 200, body: { name: 'x', code: '1' } }),
    });
    expect((await harbour.send('/a'))[0]).toBe(500);
    expect(await harbour.send('/b')).toEqual([200, { name: 'text' }]);
  });
});

describe('an example that the server would not send', () => {
  test.each<[what: string, answer: object, instead: unknown]>([
    ['of another type', answers(text, { example: 7 }), 'text'],
    ['of another format', answers({ ...text, format: 'date' }, { example: 'yesterday' }), '2026-01-31'],
    [
      'with a property that the schema does not list',
      answers(object({ a: text }), { example: { b: 'y' } }),
      { a: 'text' },
    ],
    [
      'that is missing, with a pattern',
      answers({ ...text, pattern: '^[A-Z]{7}$' }),
      expect.stringMatching(/^[A-Z]{7}$/),
    ],
    ['of a part that may be left out', answers(object({ a: text, b: { ...text, pattern: '^(?!)$' } })), { a: 'text' }],
  ])('%s is replaced', async (_, answer, instead) => {
    const adopted = adoptPaths({ '/a': answer });
    expect(adopted.asWritten).toEqual(['GET /a']);
    await using harbour = await startDocument(adopted.document);
    expect(await harbour.send('/a')).toEqual([200, instead]);
  });
});

test('a fault refuses the operations that depend on it, with its line, and no others', () => {
  const adopted = adoptPaths(
    {
      '/a': { ...answers(text), 'x-thing': { $ref: '#/components/schemas/Gone' } },
      '/b': answers({ $ref: '#/components/schemas/Missing' }),
      '/c': answers({ ...text, pattern: '[' }),
      '/d': { responses: { 200: { $ref: '#/components/requestBodies/R' } } },
      '/e': { parameters: [{ $ref: '#/components/parameters/Gone' }], ...answers(text) },
      '/f': answers(text),
    },
    {
      components: { requestBodies: { R: { content: {} } } },
      tags: [{ name: 'A', externalDocs: { url: 'https://a.example', description: null } }],
      schemes: ['https'],
    },
  );
  expect(adopted.served).toEqual(['GET /f']);
  expect(refusals(adopted)).toEqual([
    expect.stringMatching(/^openapi\.json:\d+: Can't resolve \$ref/),
    expect.stringMatching(/^openapi\.json:\d+: Can't resolve \$ref/),
    expect.stringMatching(/^openapi\.json:\d+: Can't resolve \$ref/),
    expect.stringMatching(/^openapi\.json:\d+: The server cannot check this schema: Invalid regular expression/),
    expect.stringMatching(/^openapi\.json:\d+: #\/components\/requestBodies\/R is none of components\.responses/),
  ]);
  expect(adopted.faults).toEqual([expect.stringMatching(/openapi\.json:\d+: Expected type `string` but got `null`/)]);
});

test('parts that are not served are reported, and the operation answers without them', async () => {
  const callbacks = { ready: { '{$request.body#/url}': { post: answers(text) } } };
  const adopted = adoptPaths({
    '/a': { post: { ...body(text), callbacks, ...answers(text) } },
    '/b': { servers: [{ url: 'https://other.example' }], ...answers(text) },
  });
  expect(notes(adopted)).toContain('callbacks of operations are left out');
  expect(notes(adopted)).toContain('servers of operations are left out');
  await using harbour = await startDocument(adopted.document);
  expect(await harbour.send('/b')).toEqual([200, 'text']);
});

describe('a contract with errors in a form of its own', () => {
  const refusal = {
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: { error: {}, id: {} },
  };
  const schema = { type: 'integer' };
  const get = (operationId: string, responses: object) => ({
    get: { operationId, parameters: [{ name: 'n', in: 'query', schema }], responses },
  });
  const adopted = adoptPaths({
    '/a': get('a', {
      204: { description: 'Done.' },
      400: { description: 'Wrong.', content: { 'application/json': { schema: refusal } } },
    }),
    '/b': get('b', { 204: { description: 'Done.' } }),
  });
  const errorBody = ({ message, requestId }: Problem) => ({ error: message, id: requestId });

  test('has it in all responses of that status, and where no schema says anything, but not where the server documents its own', async () => {
    const failing = () => Promise.reject(new Error('It fails.'));
    await using server = await serve(adopted, { b: failing }, {}, { errorBody });
    for (const [path, status] of [
      ['/a?n=x', 400],
      ['/b?n=x', 400],
      ['/none', 404],
    ] as const) {
      const response = await fetch(server.origin + path);
      const body = { error: expect.any(String), id: response.headers.get('x-request-id') };
      expect([response.status, await response.json()]).toEqual([status, body]);
    }
    expect(server.log()).not.toContain('does not fit');
    for (const [path, size, status] of [
      ['/b', 1, 500],
      ['/a', 20_000, 431],
    ] as const) {
      const response = await fetch(server.origin + path, { headers: { 'x-size': 'x'.repeat(size) } });
      expect(await response.json()).toMatchObject({ code: expect.any(String), status });
    }
  });

  test('needs errorBody to fit each status', async () => {
    await using server = await serve(adopted, {});
    expect(server.log()).toContain('does not fit the schema of 400 of a');
    await expect(serve(adopted, {}, { NODE_ENV: 'production' })).rejects.toThrow('400 of a');
  });
});
