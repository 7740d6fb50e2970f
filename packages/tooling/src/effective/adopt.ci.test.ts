import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { booksContract } from '../../test/books-fixture.ts';
import { editedContract } from '../../test/edits.ts';
import { secondContract } from '../../test/second-contract-fixture.ts';
import { dig, entriesOf, keysOf, listOf } from '../common/json.ts';
import { resolve } from '../contract/document.ts';
import { contractDocument } from '../contract/generated.ts';
import { generateConstants } from '../generate/constants.ts';
import { reportText } from '../new/api.ts';
import { adopt } from './adopt.ts';
import { effectiveContract } from './effective.ts';

const folder = mkdtempSync(join(tmpdir(), 'adopt-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const main = join(import.meta.dirname, '../main.ts');
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

test('an Idempotency-Key of a public operation in a contract for the service stays, so that lint reports it', () => {
  const cancel = '#/paths/~1desk~1loans~1{loanId}~1cancel/post';
  const text = JSON.stringify(editedContract(booksContract(), [{ at: `${cancel}/security`, value: [] }]));
  const { document } = effectiveContract(JSON.parse(text), 'any-name');
  const parametersIn = (contract: unknown) => dig(contract, ...keysOf(cancel), 'parameters');
  expect(parametersIn(document)).toEqual(parametersIn(JSON.parse(text)));
});

describe('the contract of a harbour, which was written without this service in mind', () => {
  const { document, served, refused, changes } = adopt(harbour);

  test('is served', () => {
    expect(served).toEqual([
      'GET /berths',
      'POST /berths',
      'GET /berths/{berth-id}',
      'PUT /berths/{berth-id}/photo',
      'POST /reservations',
      'POST /complaints',
      'GET /status',
    ]);
    expect(refused).toEqual([]);
  });

  test('gets names for code, and keeps those that it has', () => {
    const { paths, webhooks = {} } = document;
    expect(dig(paths['/berths/{berth-id}']?.get?.parameters, '0', 'name')).toBe('berth-id');
    expect(paths['/berths']?.get?.operationId).toBe('getBerths');
    expect(paths['/berths/{berth-id}']?.get).toMatchObject({ operationId: 'getBerth', 'x-method-name': 'getBerth' });
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

  test('keeps its errors, and adds those of the server, in its form or in that of a range', () => {
    const responses = document.paths['/reservations']?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual('200 400 401 403 408 409 413 415 431 500 501 503'.split(' '));
    const schemaOf = (response: unknown) =>
      dig(resolve(document, response), 'content', 'application/problem+json', 'schema', '$ref');
    expect([responses['409'], responses['413']].map(schemaOf)).toEqual([
      '#/components/schemas/OwnError',
      '#/components/schemas/Error',
    ]);
    expect(document.components.schemas.ErrorCode.enum).not.toContain('conflict');
    const { get, post } = document.paths['/berths'] ?? {};
    for (const response of [get?.responses['default'], get?.responses['503'], post?.responses['413']])
      expect(schemaOf(response)).toBe('#/components/schemas/OwnError');
    expect(schemaOf(post?.responses['503'])).toBe('#/components/schemas/Error');
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
    expect(said).toContain('The errors of the server are problems (RFC 9457)');
  });
});

const valid = readFileSync(harbour, 'utf8');
const withoutVersion = valid.replace('openapi: 3.1.0', '');

test.each<[what: string, text: string, message: RegExp]>([
  ['OpenAPI 3.2', `openapi: 3.2.0${withoutVersion}`, /:1: This is OpenAPI 3\.2\.0/],
  ['no OpenAPI', 'a: 1', /This is not an OpenAPI contract/],
  ['no operations', 'openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths: {}', /no operation under paths/],
  ['a broken $ref', valid.replace('schemas/Stay', 'schemas/Gone'), /:\d+: Can't resolve \$ref/],
  ['a $ref to a file that is missing', valid.replace('#/components/schemas/Stay', 'gone.yaml'), /gone\.yaml/],
  ['a pattern that is none', valid.replace('format: uuid', "pattern: '['"), /:74: .* cannot check .*: Invalid regular/],
  ['a duplicate key', valid.replace('info:', 'info: {}\ninfo:'), /Map keys must be unique at line 3/],
  [
    'an anchor that contains itself',
    valid.replace('info:', 'x-a: &a [*a]\ninfo:'),
    /\.yaml: An anchor contains itself\.$/,
  ],
  ['YAML that is not valid', `${valid}\n  - x: [`, /line \d+/],
  ['30 MB', `${valid}#${'x'.repeat(30_000_000)}`, /has 30\.0 MB. A contract may have 20 MB/],
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

describe('files outside the folder of the contract', () => {
  const inside = join(folder, 'inside');
  mkdirSync(join(inside, 'parts'), { recursive: true });
  writeFileSync(join(folder, 'secret.yaml'), 'type: string');
  writeFileSync(join(inside, 'parts/leading.yaml'), 'type: array\nitems: { $ref: ../../secret.yaml }');
  symlinkSync(join(folder, 'secret.yaml'), join(inside, 'link.yaml'));
  const adoptWith = (schema: object, more: object = {}) => {
    const file = join(inside, 'openapi.json');
    const paths = { '/a': get('a', ok(schema)) };
    writeFileSync(
      file,
      JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths, ...more }, null, 1),
    );
    return adopt(file);
  };

  test.each<[place: string, schema: object, more?: object]>([
    ['a schema', { $ref: '../secret.yaml' }],
    ['an absolute path', { $ref: '/etc/passwd' }],
    ['a URL of a file', { $ref: 'file:///etc/passwd' }],
    ['a URL', { $ref: 'http://127.0.0.1:9/a.yaml' }],
    ['an extension', {}, { 'x-more': { $ref: '../secret.yaml#/type' } }],
    ['the value of an example', {}, { components: { examples: { a: { externalValue: '../secret.yaml' } } } }],
    ['a mapping', { oneOf: [], discriminator: { propertyName: 'a', mapping: { a: '../secret.yaml' } } }],
    ['a link of the file system', { $ref: 'link.yaml' }],
    ['another file', { $ref: './parts/leading.yaml' }],
  ])('are not read: %s', (_, schema, more = {}) => {
    expect(() => adoptWith(schema, more)).toThrow(
      /(openapi\.json|leading\.yaml):\d+: \S+ is (a URL|outside the folder)/,
    );
  });

  test('those inside are read, also if only some parsers read them', () => {
    writeFileSync(join(inside, 'parts/name.yaml'), 'type: object\nexample: {\n  a: b\n}');
    expect(adoptWith({ $ref: 'parts/name.yaml' }).asWritten).toEqual(['GET /a']);
  });

  test('what looks like a reference in an example is none, and what looks like an example is one', () => {
    const { asWritten, changes, document } = adoptWith({
      type: 'object',
      example: { $ref: 'http://127.0.0.1:9/a.yaml' },
      properties: { example: { $ref: 'parts/name.yaml' }, value: { type: 'string' } },
    });
    expect(asWritten).toEqual(['GET /a']);
    expect(changes).toContainEqual({ change: 'Examples that contain `$ref` are left out.', operations: [] });
    const { schema } = document.paths['/a']?.get?.responses['200']?.content?.['application/json'] ?? {};
    expect(schema).toMatchObject({ properties: { example: { $ref: expect.any(String) }, value: { type: 'string' } } });
    const mapping = { example: '#/components/schemas/A' };
    const choice = { oneOf: [{ $ref: mapping.example }], discriminator: { propertyName: 'kind', mapping } };
    const example = { description: 'Gone.', content: { 'application/json': { schema: { $ref: mapping.example } } } };
    const named = { schemas: { A: { type: 'object' }, Choice: choice }, responses: { example } };
    const { components } = adoptPaths(
      {
        '/b': get('b', {
          ...ok({ $ref: '#/components/schemas/Choice' }),
          404: { $ref: '#/components/responses/example' },
        }),
      },
      named,
    ).document;
    expect([dig(components, 'schemas', 'Choice'), dig(components, 'responses', 'example', 'description')]).toEqual([
      choice,
      'Gone.',
    ]);
  });
});

test('YAML anchors and merged keys are read', () => {
  const file = join(folder, 'anchors.yaml');
  const anchored = valid
    .replace('NewBerth:\n', 'NewBerth: &new\n')
    .replace("'404':", "'405': { description: &text Not this one }\n        '404':");
  writeFileSync(file, anchored);
  expect(adopt(file).served).toHaveLength(7);
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

test('nothing of a contract that a terminal would carry out is printed', () => {
  const hostile = '\u001b[31m\u001b]0;own\u0007\u009b2J\u202e\nFAKE LINE';
  const file = join(folder, 'hostile.json');
  const write = (paths: object) => {
    const contract = { openapi: '3.1.0', info: { title: `T${hostile}`, version: '1' }, paths };
    writeFileSync(file, JSON.stringify(contract));
  };
  write({
    '/a': get(`a${hostile}`, ok({ type: 'string', enum: [hostile] }), { tags: [hostile], 'x-deprecation': hostile }),
    [`/b${hostile}`]: get('b', { 204: { $ref: `#/${hostile}` } }),
  });
  const report = reportText(adopt(file));
  write({ [`/b${hostile}`]: get('b') });
  const { stdout, stderr } = spawnSync(process.execPath, [main, 'adopt', file], { encoding: 'utf8' });
  expect(stderr).toContain('FAKE LINE');
  for (const printed of [report, stdout, stderr]) expect(printed).not.toMatch(/[^\P{C}\n]/u);
  expect(report).not.toMatch(/^FAKE/m);
});

describe('contracts of every kind', () => {
  test('references that lead only to each other refuse the operations that reach them', () => {
    const to = (name: string) => ({ $ref: `#/components/${name}` });
    const { served, refused } = adoptPaths(
      {
        '/a': get('a', ok(to('schemas/A'))),
        '/b': get('b', { 200: to('responses/Self') }),
        '/c': get('c', ok(to('schemas/Part'))),
        '/d': get('d', ok(to('schemas/List'))),
      },
      {
        responses: { Self: to('responses/Self') },
        schemas: {
          A: to('schemas/B'),
          B: to('schemas/A'),
          Part: to('schemas/Part/properties/x'),
          List: { type: 'array', items: to('schemas/List') },
        },
      },
    );
    expect(served).toEqual(['GET /d']);
    expect(refused.map(({ operation }) => operation)).toEqual(['GET /a', 'GET /b', 'GET /c']);
    for (const { reason } of refused) expect(reason).toMatch(/small\.json:\d+: Can't resolve \$ref/);
  });

  test('schemas that are nested too deep, or in too long a row, refuse their operations, and the whole contract only if nothing reads it', () => {
    const nested = (count: number) => JSON.parse(`${'{"items":'.repeat(count)}{}${'}'.repeat(count)}`);
    const row = Array.from({ length: 400 }, (_, index) => [
      `R${index}`,
      { anyOf: [{ $ref: `#/components/schemas/R${index + 1}` }] },
    ]);
    const schemas = { ...Object.fromEntries(row), R400: {}, Part: { type: 'object', properties: { a: nested(500) } } };
    const { served, refused } = adoptPaths(
      {
        '/a': get('a', ok(nested(300))),
        '/b': get('b', ok({ $ref: '#/components/schemas/Part' })),
        '/c': get('c', ok({ $ref: '#/components/schemas/R0' })),
        '/d': get('d', ok({ type: 'array', minItems: 1e9, items: { $ref: '#/components/schemas/R399' } })),
      },
      { schemas },
    );
    expect(served).toEqual(['GET /d']);
    expect(refused.map(({ reason }) => reason.replace(/^.*json:1: /, '').slice(0, 40))).toEqual([
      'This is nested more than 90 levels deep.',
      'This is nested more than 90 levels deep.',
      'This schema leads through too long a row',
    ]);
    expect(() => adoptPaths({ '/a': get('a', ok(nested(2_000))) })).toThrow(
      /small\.json:1: This is nested more than 1500/,
    );
  });

  test('a pattern in the data of a schema stays as it is', () => {
    const data = { examples: [{ pattern: String.raw`a\_b` }], default: { pattern: String.raw`\_` } };
    const A = { type: 'object', properties: { default: { type: 'string', pattern: String.raw`^\_+$` } }, ...data };
    const { document } = adoptPaths({ '/a': get('a', ok({ $ref: '#/components/schemas/A' })) }, { schemas: { A } });
    expect(document.components.schemas['A']).toMatchObject({ properties: { default: { pattern: '^_+$' } }, ...data });
  });

  test('only a pattern that is rewritten has a note, also as a name of properties', () => {
    const named = { type: 'object', patternProperties: { [String.raw`^x\_`]: { type: 'string' }, '^y': {} } };
    const { document, served, changes } = adoptPaths({
      '/a': get('a', ok(named)),
      '/b': get('b', ok({ type: 'string', pattern: String.raw`\a` })),
    });
    expect(served).toEqual(['GET /a']);
    const { schema } = document.paths['/a']?.get?.responses['200']?.content?.['application/json'] ?? {};
    expect(entriesOf(dig(schema, 'patternProperties')).map(([name]) => name)).toEqual(['^x_', '^y']);
    const noted = changes.filter(({ change }) => change.includes('without the flag u'));
    expect(noted.flatMap(({ operations }) => operations)).toEqual([String.raw`^x\_`]);
  });

  test('a contract without a title or version, or with a number as its version, has both', () => {
    for (const info of [{}, { version: 1 }]) {
      const { document } = adoptPaths({ '/a': get('a') }, {}, { info });
      expect(document.info).toMatchObject({ title: 'api', version: expect.stringMatching(/^1/) });
    }
  });

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
    expect(document.paths['/b/{thing-id}']?.get?.responses['200']?.description).toBe('Fine.');
  });

  test('parameters keep their names, also if other paths have others at their place', () => {
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
      'GET /c/{x}/b/{id}',
      'PUT /a/{y}',
    ]);
    expect(served).toContain('GET /c/{x}/b/{id}');
  });

  test('a webhook with JSON and a form has JSON', () => {
    const content = { 'application/x-www-form-urlencoded': {}, 'application/json': { schema: { type: 'object' } } };
    const webhooks = { ping: { post: { requestBody: { content }, responses: { 204: { description: 'Done.' } } } } };
    const { document, refused } = adoptPaths({ '/a': get('a') }, {}, { webhooks });
    const kept = document.webhooks?.['ping']?.post?.requestBody?.content ?? {};
    expect([refused, Object.keys(kept)]).toEqual([[], ['application/json']]);
  });

  test('if nothing can be served, each reason is said once, with the first places', () => {
    const operations = ['a', 'b', 'c', 'd'].map((id) => [`/${id}`, get(id, undefined, { security: [{ basic: [] }] })]);
    const schemes = { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } };
    const refuse = () => adoptPaths(Object.fromEntries(operations), schemes);
    expect(refuse).toThrow(
      /^No operation can be served\.\n[^\n]+ \(4: GET \/a \S+:1, GET \/b \S+:1, GET \/c \S+:1, …\)$/,
    );
  });

  test('a list with parameters of pages has no loop, unless the contract says how it continues', () => {
    const page = { parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }] };
    const list = { type: 'array', items: { type: 'string' } };
    const link = { 200: { ...ok(list)[200], headers: { Link: { schema: { type: 'string' } } } } };
    const { document, changes } = adoptPaths({ '/a': get('a', ok(list), page), '/b': get('b', link, page) });
    expect(document.paths['/a']?.get).toHaveProperty('x-pagination', false);
    expect(document.paths['/b']?.get).not.toHaveProperty('x-pagination');
    const noted = changes.find(({ change }) => change.includes('write x-pagination'));
    expect(noted?.operations).toEqual(['GET /a']);
  });

  test.each<[what: string, schema: object, sample: unknown]>([
    [
      'that requires what it does not list',
      { required: ['a', 'b'], properties: { a: { const: 1 } } },
      { a: 1, b: null },
    ],
    [
      'whose first alternative is not the only one that fits',
      { oneOf: [{ type: 'string' }, { enum: ['text', 'x'] }, { const: 3 }] },
      3,
    ],
    [
      'of parts, of which one only requires',
      {
        allOf: [
          { type: 'object', properties: { a: { const: 1 } } },
          { type: 'object', required: ['a'] },
        ],
      },
      { a: 1 },
    ],
    [
      'of parts, of which one is null',
      {
        allOf: ['string', 'null'].map((type) => ({
          type: 'object',
          properties: { a: { type: ['string', 'null'], enum: type === 'null' ? [null] : ['x', null] } },
        })),
      },
      { a: null },
    ],
    [
      'with parts that allow nothing and may be left out',
      {
        required: ['a', 'list'],
        properties: {
          a: { const: 1 },
          b: { oneOf: [{ type: 'string' }, { type: 'string' }] },
          list: { type: 'array', items: { not: {} } },
        },
      },
      { a: 1, list: [] },
    ],
  ])('a schema %s has a sample', (_, schema, sample) => {
    const { document } = adoptPaths({ '/a': get('a', ok({ type: ['object', 'integer'], ...schema })) });
    const response = document.paths['/a']?.get?.responses['200'];
    expect(response?.content?.['application/json']?.examples).toEqual({ sample: { value: sample } });
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

  test('a contract in 3.0 or 2.0, and nullable in 3.1, are read as 3.1', () => {
    const properties = {
      name: { type: 'string', nullable: true },
      state: { type: 'string', enum: ['a', 'b'], nullable: true },
      other: { $ref: '#/components/schemas/Other', nullable: true },
      size: { type: 'integer', minimum: 0, exclusiveMinimum: true },
    };
    const schemas = { Other: { type: 'object', properties: { id: { type: 'integer' } } } };
    const paths = { '/a': get('a', ok({ type: 'object', properties })) };
    for (const openapi of ['3.0.3', '3.1.0']) {
      const { document, asWritten } = adoptPaths(paths, { schemas }, { openapi });
      expect(asWritten).toEqual(['GET /a']);
      const content = document.paths['/a']?.get?.responses['200']?.content?.['application/json'];
      expect(content?.schema?.properties).toEqual({
        name: { type: ['string', 'null'] },
        state: { type: ['string', 'null'], enum: ['a', 'b', null] },
        other: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] },
        size: { type: 'integer', exclusiveMinimum: 0 },
      });
    }
    const definitions = { Note: { type: 'object', properties: { id: { type: 'integer', 'x-nullable': true } } } };
    const parameters = [{ name: 'note', in: 'body', required: true, schema: { $ref: '#/definitions/Note' } }];
    const responses = { 200: { description: 'Fine.', schema: { $ref: '#/definitions/Note' } } };
    const old = {
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'api.example.com',
      basePath: '/v1',
      schemes: ['https'],
    };
    const file = join(folder, 'old.json');
    const operation = {
      operationId: 'addNote',
      consumes: ['application/json'],
      produces: ['application/json'],
      parameters,
      responses,
    };
    const photo = {
      ...operation,
      operationId: 'getPhoto',
      parameters: [],
      produces: ['application/vnd.api+json'],
      responses: { 200: { description: 'Fine.', schema: { type: 'file' } }, 404: responses[200] },
    };
    writeFileSync(
      file,
      JSON.stringify({ ...old, paths: { '/notes': { post: operation }, '/photo': { get: photo } }, definitions }),
    );
    const { document, served } = adopt(file);
    expect(served).toEqual(['POST /notes', 'GET /photo']);
    expect(document.paths['/photo']?.get?.responses['200']?.content).toEqual({ 'application/octet-stream': {} });
    const missing = document.paths['/photo']?.get?.responses['404']?.content;
    expect(Object.keys(missing ?? {})).toEqual(['application/vnd.api+json']);
    expect(document.servers).toMatchObject([{ url: 'https://api.example.com/v1' }]);
    expect(document.paths['/notes']?.post?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
    });
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

  test('operations are refused if the server cannot check their credentials', () => {
    const done = { 204: { description: 'Done.' } };
    const asking = (operationId: string, security: object[]) => get(operationId, done, { security });
    const { served, refused, document, asWritten, changes } = adoptPaths(
      {
        '/digest': asking('digest', [{ digest: [] }]),
        '/missing': asking('missing', [{ missing: [] }]),
        '/host': asking('host', [{ host: [] }]),
        '/shell': asking('shell', [{ shell: [] }]),
        '/scope': asking('scope', [{ key: ['two words'] }]),
        '/two': asking('two', [{ key: [] }, { basic: [] }]),
        '/both': asking('both', [{ key: [], oauth: [] }]),
        '/basic': asking('basic', [{}, { basic: [], key: [] }, { cookie: [] }]),
        '/any': asking('any', [{}, { cookie: [] }]),
        '/some': asking('some', [{ cookie: [], oauth: [], key: [] }, {}]),
        '/cookie': asking('cookie', [{ cookie: [] }]),
        '/device': asking('device', [{ device: [] }]),
        '/key': asking('key', [{ key: ['admin'] }]),
      },
      {
        securitySchemes: {
          digest: { type: 'http', scheme: 'digest' },
          host: { type: 'apiKey', in: 'header', name: 'Host' },
          shell: { type: 'apiKey', in: 'header', name: 'X-`id`' },
          key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          basic: { type: 'http', scheme: 'Basic' },
          oauth: { type: 'oauth2', flows: {} },
          cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
          device: { type: 'mutualTLS' },
        },
      },
    );
    expect(served).toEqual(['GET /two', 'GET /both', 'GET /basic', 'GET /any', 'GET /some', 'GET /key']);
    expect(asWritten).toEqual(['GET /both', 'GET /key']);
    expect(changes).toContainEqual({
      change: 'Of several security schemes, the server checks key.',
      operations: ['GET /two', 'GET /basic'],
    });
    expect(document.paths['/some']?.get).toMatchObject({
      security: [{ oauth: [] }, {}],
      parameters: [{ name: 'X-Api-Key', in: 'header', required: false }],
    });
    expect(document.paths['/both']?.get).toMatchObject({
      security: [{ oauth: [] }],
      parameters: [{ name: 'X-Api-Key', in: 'header', required: true }],
    });
    const securityOf = (path: string) => document.paths[path]?.get?.security;
    expect(['/two', '/basic', '/any'].map(securityOf)).toEqual([[{ key: [] }], [{}, { key: [] }], [{}]]);
    expect(refused.map(({ operation, reason }) => `${operation} ${reason.replace(/.*json:\d+: /, '')}`)).toEqual([
      expect.stringContaining('GET /digest The server cannot check digest. Use one scheme: '),
      expect.stringContaining('GET /missing The server cannot check missing.'),
      expect.stringContaining('GET /host The server cannot check host.'),
      expect.stringContaining('GET /shell The server cannot check shell.'),
      expect.stringContaining('GET /scope The scope "two words" has a space,'),
      expect.stringContaining('GET /cookie The server cannot check cookie.'),
      expect.stringContaining('GET /device The server cannot check device.'),
    ]);
    expect(Object.keys(document.paths['/key']?.get?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403']));
  });

  test('the whole contract asks for the same of several schemes as its operations', () => {
    const { document } = adoptPaths(
      { '/a': get('a') },
      {
        securitySchemes: {
          token: { type: 'oauth2', flows: {} },
          key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        },
      },
      { security: [{ token: [] }, { key: [] }] },
    );
    expect([document.security, document.paths['/a']?.get?.security]).toEqual([[{ key: [] }], [{ key: [] }]]);
  });

  test.each([[[{}, { key: [] }]], [[{ key: [] }, {}]]])(
    'credentials that are optional everywhere stay so, with Idempotency-Key for callers that send some: %j',
    (security) => {
      const securitySchemes = { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } };
      const parameters = [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }];
      const { post } = { post: { ...get('b').get, parameters } };
      const paths = { '/a': get('a'), '/b': { post }, '/c': { post: { ...post, security: [] } } };
      const { document, changes } = adoptPaths(paths, { securitySchemes }, { security });
      expect(document.paths['/a']?.get?.security).toEqual(security);
      const nameIn = (path: string) => dig(document.paths[path]?.post?.parameters, '0', 'name');
      expect(['/b', '/c'].map(nameIn)).toEqual(['Idempotency-Key', 'idempotency-key']);
      const noted = changes.filter(({ change }) => change.includes('only for callers with credentials'));
      expect(noted.map(({ operations }) => operations)).toEqual([['POST /b']]);
      // The client generates no key, because it would repeat a call of which the server stores nothing.
      const constants = generateConstants(document);
      expect(constants).toMatch(/idempotentOperations = \[\]/);
    },
  );

  test('of media types that differ only in parameters, the first is kept, with a note if their schemas differ', () => {
    const content = (other: object) => ({
      'application/json': { schema: { type: 'object' } },
      'application/json; charset=utf-8': { schema: other },
    });
    const { document, changes, asWritten } = adoptPaths({
      '/a': get('a', { 200: { description: 'Fine.', content: content({ type: 'object' }) } }),
      '/b': get('b', { 200: { description: 'Fine.', content: content({ type: 'string' }) } }),
    });
    expect(asWritten).toEqual(['GET /a']);
    expect(changes).toContainEqual({
      change: expect.stringMatching(/parameters of media types/),
      operations: ['GET /b'],
    });
    for (const path of ['/a', '/b']) {
      const served = document.paths[path]?.get?.responses['200']?.content;
      expect(served).toMatchObject({ 'application/json': { schema: { type: 'object' } } });
    }
  });

  test('an object in the query that contains itself has the parameters of its first level', () => {
    const filter = {
      type: 'object',
      properties: { name: { type: 'string' }, not: { $ref: '#/components/schemas/Filter' } },
    };
    const parameters = [
      { name: 'filter', in: 'query', style: 'deepObject', schema: { $ref: '#/components/schemas/Filter' } },
    ];
    const { document, served, asWritten } = adoptPaths(
      { '/a': get('a', undefined, { parameters }), '/b': get('b') },
      { schemas: { Filter: filter } },
    );
    expect([served, asWritten]).toEqual([['GET /a', 'GET /b'], ['GET /b']]);
    const names = listOf(document.paths['/a']?.get?.parameters).map((one) => dig(one, 'name'));
    expect(names).toEqual(['filter[name]']);
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

  describe('errors', () => {
    const problem = (properties: object) => ({
      description: 'A problem.',
      content: { 'application/problem+json': { schema: { type: 'object', properties } } },
    });
    const json = { description: 'Failed.', content: { 'application/json': { schema: { type: 'object' } } } };

    test('of the server have the body that most operations document for the status, and its own if none does', () => {
      const coded = (code: string) => ({
        description: 'Failed.',
        content: { 'application/json': { schema: { type: 'object', properties: { [code]: {} } } } },
      });
      const { document } = adoptPaths({
        '/a': get('a', { 400: coded('a'), 413: { description: 'Too large.' } }),
        '/b': get('b', { 400: coded('b') }),
        '/c': get('c', { 400: coded('b') }),
        '/d': get('d'),
      });
      const schemaOf = (status: string) => {
        const response = resolve(document, document.paths['/d']?.get?.responses[status]);
        return dig(response, 'content', 'application/json', 'schema');
      };
      expect(schemaOf('400')).toEqual({ type: 'object', properties: { b: {} } });
      expect(schemaOf('500')).toEqual({ $ref: '#/components/schemas/Error' });
    });

    test('of the server have the form that most of the contract have', () => {
      const typeOf = (responses: object) =>
        Object.keys(
          Object(dig(adoptPaths({ '/a': get('a', responses) }).document, 'components', 'responses')).BadRequest.content,
        );
      expect(typeOf({ 404: problem({}), 409: json })).toEqual(['application/problem+json']);
      expect(typeOf({ 404: problem({}), 409: json, 410: json })).toEqual(['application/json']);
      expect(typeOf({ 404: { description: 'Gone.' } })).toEqual(['application/json']);
    });

    test('are not taken for a success, and a success is not taken for an error', () => {
      const statusesOf = (responses: object) =>
        Object.keys(adoptPaths({ '/a': get('a', responses) }).document.paths['/a']?.get?.responses ?? {}).filter(
          (status) => /^2|default/.test(status),
        );
      const success = ok({ type: 'string' })[200];
      expect(statusesOf({ default: success })).toEqual(['200']);
      expect(statusesOf({ 404: json, default: success })).toEqual(['200']);
      expect(statusesOf({ default: problem({}) })).toEqual(['204', 'default']);
      expect(statusesOf({ 404: json, default: json })).toEqual(['204', 'default']);
      expect(statusesOf({ '2XX': success, default: json })).toEqual(['200', 'default']);
      expect(statusesOf({ '2XX': { description: 'Done.' }, 404: { description: 'Gone.' } })).toEqual(['200']);
    });

    test('keep their headers, which the server does not require', () => {
      const header = { required: true, schema: { type: 'integer' } };
      const failed = { description: 'Failed.', headers: { 'X-Seats': header } };
      const { document } = adoptPaths({
        '/a': get('a', { 204: { description: 'Done.' }, 409: failed, default: failed }),
      });
      for (const status of ['409', 'default']) {
        const { headers } = Object(resolve(document, document.paths['/a']?.get?.responses[status]));
        expect(resolve(document, headers['X-Seats'])).toMatchObject({ required: false, schema: { type: 'integer' } });
        expect(Object.keys(headers)).toContain('X-Request-Id');
      }
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

  test('operationIds that code cannot have, or that another operation has, get another name', () => {
    const { document, served } = adoptPaths({
      '/a': get('delete'),
      '/b': get('listA'),
      '/c': get('list-a'),
      '/d': get('1st'),
    });
    expect(served).toHaveLength(4);
    const ids = Object.values(document.paths).map((item) => item.get?.operationId);
    expect(ids).toEqual(['deleteOperation', 'listA', 'listAOperation', 'operation1st']);
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
    const cookie = { name: 'c', in: 'cookie', required: true, schema: { type: 'string' } };
    const bad = Array.from({ length: 1_100 }, (_, index) => [
      `/p${index}`,
      get(`p${index}`, undefined, { parameters: [cookie] }),
    ]);
    const { served } = adoptPaths({ ...Object.fromEntries(bad), '/good': get('good') });
    expect(served).toEqual(['GET /good']);
  });
});
