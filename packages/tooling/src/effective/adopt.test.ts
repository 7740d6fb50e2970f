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
        reason: expect.stringMatching(/own-contract\/openapi\.yaml:89: The server does not support forms\. Use /),
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

  test('asks for keys of the service, with the scope of the method', () => {
    const { paths, security, components } = document;
    expect(security).toEqual([{ apiKey: ['read'] }]);
    expect(paths['/berths']?.post?.security).toEqual([{ apiKey: ['write'] }]);
    expect(paths['/status']?.get?.security).toEqual([]);
    expect(components.securitySchemes).toMatchObject({ apiKey: { bearerFormat: 'hb_live_… or hb_test_…' } });
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
    expect(said).toContain('in place of oauth (oauth2)');
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
    /:133: Every operation must have a unique `operationId`/,
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
