import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { booksContract } from '../../test/books-fixture.ts';
import { secondContract } from '../../test/second-contract-fixture.ts';
import { dig } from '../common/json.ts';
import { contractDocument } from '../contract/generated.ts';
import { adopt } from './adopt.ts';
import { effectiveContract } from './effective.ts';

const folder = mkdtempSync(join(tmpdir(), 'adopt-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const harbour = join(import.meta.dirname, '../../../../examples/own-contract/openapi.yaml');

test.each([
  ['of this project', contractDocument],
  ['of books', booksContract],
  ['of notes', secondContract],
])('a contract %s that has all that the service adds stays as it is', (_, read) => {
  const text = JSON.stringify(read());
  const { document, changes } = effectiveContract(JSON.parse(text), 'any-name');
  expect([...changes]).toEqual([]);
  expect(document).toEqual(JSON.parse(text));
  // Also in the same order, which the generated files have.
  expect(JSON.stringify(document) === text).toBe(true);
});

describe('the contract of a harbour, which was written without this service in mind', () => {
  const { document, served, refused, changes } = adopt(harbour);

  test('is served, except for a form', () => {
    expect(served).toEqual([
      'GET /berths',
      'POST /berths',
      'GET /berths/{berthId}',
      'POST /reservations',
      'GET /status',
    ]);
    expect(refused).toEqual([
      {
        operation: 'PUT /berths/{berthId}/photo',
        reason: expect.stringMatching(/own-contract\/openapi\.yaml:93: The server does not support forms\. Use /),
      },
    ]);
  });

  test('gets names for code, and keeps those that it has', () => {
    const { paths, webhooks = {} } = document;
    expect(dig(paths['/berths/{berthId}']?.get?.parameters, '0', 'name')).toBe('berthId');
    expect(paths['/berths']?.get?.operationId).toBe('getBerths');
    expect(paths['/berths/{berthId}']?.get).toMatchObject({ operationId: 'getBerth', 'x-method-name': 'getBerth' });
    expect(paths['/berths/{berthId}']).not.toHaveProperty('put');
    expect(paths['/status']?.get?.operationId).toBe('status');
    expect(Object.keys(webhooks)).toEqual(['berthFreed']);
  });

  test('keeps what operations ask for, and has a prefix for the keys of test servers', () => {
    const { paths, security, components } = document;
    expect(security).toEqual([{ oauth: ['berths:read'] }]);
    expect(paths['/berths']?.post?.security).toEqual([{ oauth: ['berths:write'] }]);
    expect(paths['/status']?.get?.security).toEqual([]);
    expect(components.securitySchemes).toMatchObject({ oauth: { description: '`Authorization: Bearer <TOKEN>`.' } });
    expect(document).toHaveProperty('x-key-prefix', 'hb');
    expect(components.schemas.ErrorCode['x-codes']['api_key_missing']?.action).toBe(
      'Send `Authorization: Bearer <TOKEN>`.',
    );
  });

  test('has the errors of the service, and those of the operation with a code', () => {
    const responses = document.paths['/reservations']?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual('200 400 401 403 408 409 413 415 429 431 500 501 503'.split(' '));
    const conflict = Object.values(document.components.responses).find(
      (response) => dig(response, 'description') === 'The berth is taken',
    );
    expect(dig(conflict, 'content', 'application/json', 'examples', 'conflict', 'value')).toEqual({
      code: 'conflict',
      message: 'The berth is taken',
      status: 409,
    });
    // A public operation knows no keys.
    expect(Object.keys(document.paths['/status']?.get?.responses ?? {})).not.toContain('401');
  });

  test('has an example of each body, without what only the other side may send', () => {
    const { post } = document.paths['/reservations'] ?? {};
    const sent = dig(post?.requestBody, 'content', 'application/json', 'examples', 'example', 'value');
    expect(sent).toEqual({ from: '2026-07-01', until: '2026-07-04', ship: 'Heron' });
    const answered = dig(post?.responses['200'], 'content', 'application/json', 'examples', 'sample', 'value');
    expect(answered).toEqual({ from: '2026-01-31', until: '2026-01-31', id: 'text', state: 'held', ship: 'text' });
    const created = dig(document.paths['/berths']?.post?.requestBody, 'content', 'application/json', 'examples');
    expect(created).toEqual({ sample: { value: { name: 'text', length: 1 } } });
  });

  test('is reported with what was added or replaced', () => {
    const said = changes.map(({ change }) => change).join('\n');
    expect(said).toContain('The scheme oauth needs a function in packages/server/src/operations/verify.ts.');
    expect(said).toContain('The schema Error is called OwnError');
    expect(said).toContain('application/xml is left out');
    expect(said).toContain('default and ranges of statuses are left out');
  });
});

const valid = readFileSync(harbour, 'utf8');
const withoutVersion = valid.replace('openapi: 3.1.0', '');

test.each<[what: string, text: string, message: RegExp]>([
  ['OpenAPI 2', `swagger: "2.0"${withoutVersion}`, /:1: This is OpenAPI 2\.0\. Convert it to 3\.1/],
  ['OpenAPI 3.0', `openapi: 3.0.3${withoutVersion}`, /:1: This is OpenAPI 3\.0\.3, and the service reads 3\.1/],
  ['OpenAPI 3.2', `openapi: 3.2.0${withoutVersion}`, /:1: This is OpenAPI 3\.2\.0/],
  ['no OpenAPI', 'a: 1', /This is not an OpenAPI contract/],
  ['no operations', 'openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths: {}', /no operation under paths/],
  ['a broken $ref', valid.replace('schemas/Stay', 'schemas/Gone'), /:\d+: Can't resolve \$ref/],
  ['a $ref to a file that is missing', valid.replace('#/components/schemas/Stay', 'gone.yaml'), /gone\.yaml/],
  [
    'an operationId twice',
    valid.replace('operationId: reserve', 'operationId: status'),
    /:137: Every operation must have a unique `operationId`/,
  ],
  ['a duplicate key', valid.replace('info:', 'info: {}\ninfo:'), /Map keys must be unique at line 3/],
  ['YAML that is not valid', `${valid}\n  - x: [`, /line \d+/],
  ['10 MB', `${valid}#${'x'.repeat(10_000_000)}`, /has 10\.0 MB. A contract may have 5 MB/],
])('a contract with %s is refused or reported, with its place', (_, text, message) => {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, text);
  const outcome = () => {
    const { refused } = adopt(file);
    throw new Error(refused.map(({ reason }) => reason).join('\n'));
  };
  expect(outcome).toThrow(message);
  expect(outcome).toThrow(/openapi\.yaml|no operation/);
});

test('YAML anchors and merged keys are read', () => {
  const file = join(folder, 'anchors.yaml');
  const anchored = valid
    .replace('NewBerth:\n', 'NewBerth: &new\n')
    .replace("'404':", "'405': { description: &text Not this one }\n        '404':");
  writeFileSync(file, anchored);
  expect(adopt(file).served).toHaveLength(5);
});

/** What is made of a contract with these paths and components. */
function adoptPaths(paths: object, components: object = {}, more: object = {}) {
  const file = join(folder, 'small.json');
  writeFileSync(
    file,
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Small', version: '1' }, paths, components, ...more }),
  );
  return adopt(file);
}
const ok = (schema: object) => ({ 200: { description: 'Fine.', content: { 'application/json': { schema } } } });
const get = (operationId: string, responses: object = { 204: { description: 'Done.' } }, more: object = {}) => ({
  get: { operationId, responses, ...more },
});

describe('contracts of every kind', () => {
  test('examples and path items under components are used in place', () => {
    const content = {
      'application/json': { schema: { type: 'object' }, examples: { a: { $ref: '#/components/examples/A' } } },
    };
    const responses = { 200: { description: 'Fine.', content } };
    const { document, served } = adoptPaths(
      { '/a': get('a', responses), '/b': { $ref: '#/components/pathItems/B' } },
      { examples: { A: { value: { x: 1 } } }, pathItems: { B: { post: { operationId: 'b', responses } } } },
    );
    expect(served).toEqual(['GET /a', 'POST /b']);
    expect(
      dig(document.paths['/a']?.get?.responses['200'], 'content', 'application/json', 'examples', 'a', 'value'),
    ).toEqual({ x: 1 });
  });

  test('a reference to a part of another operation is used in place', () => {
    const { document } = adoptPaths({
      '/a': get('a', ok({ type: 'object', properties: { x: { type: 'string' } } })),
      '/b/{thing-id}': get(
        'b',
        { 200: { $ref: '#/paths/~1a/get/responses/200' } },
        {
          parameters: [{ name: 'thing-id', in: 'path', required: true, schema: { type: 'string' } }],
        },
      ),
    });
    expect(JSON.stringify(document)).not.toContain('#/paths/');
    expect(document.paths['/b/{thingId}']?.get?.responses['200']?.description).toBe('Fine.');
  });

  test('no path is lost, and no parameter gets the name of another one', () => {
    const named = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
    const { served, refused } = adoptPaths({
      '/a/{x}': get('a', undefined, { parameters: [named('x')] }),
      '/a/{y}': { put: { operationId: 'b', parameters: [named('y')], responses: { 204: { description: 'Done.' } } } },
      '/c/{id}': get('c', undefined, { parameters: [named('id')] }),
      '/c/{x}/b/{id}': get('d', undefined, { parameters: [named('x'), named('id')] }),
    });
    expect([...served, ...refused.map(({ operation }) => operation)].sort()).toEqual([
      'GET /a/{x}',
      'GET /c/{id}',
      'GET /c/{id}/b/{id2}',
      'PUT /a/{y}',
    ]);
    expect(served).toContain('GET /c/{id}/b/{id2}');
  });

  test('schemas that contain themselves have a sample', () => {
    const self = { $ref: '#/components/schemas/Self' };
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, self]));
    const { document, served } = adoptPaths(
      { '/a': get('a', ok(self)), '/b': get('b', ok({ $ref: '#/components/schemas/Base' })) },
      {
        schemas: {
          Self: {
            type: 'object',
            properties: { name: { type: 'string' }, list: { type: 'array', items: self }, ...properties },
          },
          Base: { oneOf: [{ $ref: '#/components/schemas/Part' }] },
          Part: {
            allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { x: { type: 'integer' } } }],
          },
        },
      },
    );
    expect(served).toHaveLength(2);
    const [sample] = Object.values(
      document.paths['/a']?.get?.responses['200']?.content?.['application/json']?.examples ?? {},
    );
    expect(sample?.value).toEqual({ name: 'text', list: [] });
  });

  test('a value of a discriminator stays the same when its schema gets another name', () => {
    const fine = { type: 'object', required: ['type'], properties: { type: { const: 'Fine' } } };
    const failed = { type: 'object', required: ['type'], properties: { type: { const: 'Error' } } };
    const choices = ['Error', 'Fine'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const { document } = adoptPaths(
      { '/a': get('a', ok({ oneOf: choices, discriminator: { propertyName: 'type' } })) },
      { schemas: { Error: failed, Fine: fine } },
    );
    const text = JSON.stringify(document.paths);
    expect(text).toContain('"mapping":{"Error":"#/components/schemas/OwnError"}');
  });

  test('a public operation keeps its 401, and a redirect stays the only success', () => {
    const login = {
      operationId: 'login',
      security: [],
      responses: { 200: { description: 'In.' }, 401: { description: 'Wrong password.' } },
    };
    const { document, changes } = adoptPaths({
      '/login': { post: login },
      '/old': get('old', { 302: { description: 'Moved.' }, default: { description: 'Failed.' } }),
    });
    expect(Object.keys(document.paths['/login']?.post?.responses ?? {})).toContain('401');
    expect(Object.keys(document.paths['/old']?.get?.responses ?? {}).filter((status) => /^[23]/.test(status))).toEqual([
      '302',
    ]);
    expect(changes).toContainEqual({
      change: 'These operations write, and need no credentials.',
      operations: ['POST /login'],
    });
  });

  test('headers differ if one of them is required, and have an example', () => {
    const total = (required: boolean) => ({
      200: { description: 'Fine.', headers: { 'X-Total': { required, schema: { type: 'integer' } } } },
    });
    const { document } = adoptPaths({ '/a': get('a', total(true)), '/b': get('b', total(false)) });
    expect(document.components.headers['X-Total']).toMatchObject({ required: true, example: '1' });
    const other = document.paths['/b']?.get?.responses['200']?.headers?.['X-Total'];
    expect(other).toMatchObject({ required: false, example: '1' });
  });

  test('names that cannot be in code, and paths of the server, do not stop the others', () => {
    const tagged = (operationId: string, tag: string) => get(operationId, undefined, { tags: [tag] });
    const { document, refused, served } = adoptPaths({
      '/models': tagged('listModels', '3d models'),
      '/words': tagged('listWords', 'Слова'),
      '/clients': tagged('listClients', 'Client'),
      '/healthz': get('health'),
    });
    expect(served).toHaveLength(3);
    expect(refused).toEqual([
      { operation: 'GET /healthz', reason: expect.stringContaining('itself serves this path') },
    ]);
    expect(document.paths['/models']?.get?.tags).toEqual(['API models']);
  });

  test('more problems than are printed at once are all found', () => {
    const cookie = { name: 'c', in: 'cookie', schema: { type: 'string' } };
    const bad = Array.from({ length: 1_100 }, (_, index) => [
      `/p${index}`,
      get(`p${index}`, undefined, { parameters: [cookie] }),
    ]);
    const { served } = adoptPaths({ ...Object.fromEntries(bad), '/good': get('good') });
    expect(served).toEqual(['GET /good']);
  }, 60_000);
});
