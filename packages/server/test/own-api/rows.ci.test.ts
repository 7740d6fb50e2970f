/** What contracts do that were once accepted and then wrong: each is served as it says, or refused with a sentence. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Adopted, adopt } from '../../../tooling/src/effective/adopt.ts';
import { startDocument } from '../second-contract/start.ts';

const folder = mkdtempSync(join(tmpdir(), 'rows-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Contract = { servers?: object[]; components?: object; info?: object; [extension: `x-${string}`]: unknown };

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
  ])('of a URL with %s cannot be known', (_, more) => {
    expect(() =>
      adoptPaths({ '/a': answers(text) }, { servers: [{ url: 'https://a.example/{version}', ...more }] }),
    ).toThrow(/openapi\.json:\d+: .*(default|version)/);
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
    expect(refusals(adopted)).toEqual([
      expect.stringMatching(/^openapi\.json:\d+: .*`code` property must NOT be present/),
    ]);
    await using harbour = await startDocument(adopted.document, {
      getA: async () => ({ status: 200, body: { name: 'x', code: '1' } }),
    });
    expect((await harbour.send('/a'))[0]).toBe(500);
  });
});

describe('an example that the server would not send is refused, with its line', () => {
  test.each<[what: string, answer: object, reason: RegExp]>([
    ['of another type', answers(text, { example: 7 }), /type must be string/],
    ['of another format', answers({ ...text, format: 'date' }, { example: 'yesterday' }), /must match format "date"/],
    [
      'with a property that the schema does not list',
      answers(object({ a: text }), { example: { a: 'x', b: 'y' } }),
      /body must NOT have additional properties, such as b/,
    ],
    [
      'that cannot be made of the schema',
      answers({ ...text, pattern: '^[A-Z]{7}$' }),
      /No example can be made of this schema, so add one: .*pattern/,
    ],
  ])('%s', (_, answer, reason) => {
    const adopted = adoptPaths({ '/a': answer, '/b': answers(text) });
    expect(adopted.served).toEqual(['GET /b']);
    expect(refusals(adopted)).toEqual([expect.stringMatching(reason)]);
    expect(refusals(adopted)[0]).toMatch(/^openapi\.json:\d+: /);
  });
});

test('a reference in an extension that leads nowhere stops the contract, with its line', () => {
  const thing = { 'x-thing': { $ref: '#/components/schemas/Gone' } };
  expect(() => adoptPaths({ '/a': { ...answers(text), ...thing } })).toThrow(/openapi\.json:\d+: Can't resolve \$ref/);
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

test.each<[what: string, path: object, reason: RegExp]>([
  ['a method of OpenAPI 3.2', { query: answers(text), get: answers(text) }, /Property `query` is not expected here/],
  [
    'XML alone',
    { responses: { 200: { description: 'Fine.', content: { 'application/xml': { schema: object({}) } } } } },
    /The server treats application\/xml as bytes: .* use application\/json/,
  ],
  [
    'an object in the query',
    { parameters: [{ name: 'a', in: 'query', style: 'deepObject', schema: object({ b: text }) }], ...answers(text) },
    /A query parameter has one type/,
  ],
])('%s is refused with its line', (_, path, reason) => {
  const adopted = adoptPaths({ '/a': path, '/b': answers(text) });
  expect(adopted.served).toEqual(['GET /b']);
  expect(refusals(adopted)).toEqual([expect.stringMatching(reason)]);
  expect(refusals(adopted)[0]).toMatch(/^openapi\.json:\d+: /);
});
