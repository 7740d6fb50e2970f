import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { problemsOf } from '../../../client-core/src/problems.ts';
import { runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { parseResponses, sendBytes } from '../../../testing/src/service/wire.ts';
import { newApi } from '../../../tooling/src/new/api.ts';
import { root } from '../../../tooling/src/project.ts';
import { Repository } from './repository.ts';

const contract = join(root, 'examples/own-contract/openapi.yaml');
const operations = 'packages/server/src/operations';
const parent = realpathSync(mkdtempSync(join(tmpdir(), 'own-api-')));
const project = new Repository(join(parent, 'harbour'));

beforeAll(() => {
  newApi(project.folder, contract, 'harbour');
  project.installVendored();
  const { status, output } = project.run('generate');
  expect({ status, output }).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** The lines of titles that Jest printed with a sign. */
function titles(output: string, sign: string): string[] {
  return [...output.matchAll(new RegExp(`${sign} (.+?)(?: \\(\\d+ m?s\\))?$`, 'gm'))].map(([, title = '']) => title);
}

const jest = (...parameters: string[]) =>
  project.node('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--verbose', ...parameters);
const tsc = () => project.node('node_modules/typescript/bin/tsc').output;

test('the contract stays as it was written, and is valid with what the service adds', () => {
  expect(project.read('openapi.yaml')).toContain('operationId: get-berths');
  expect(project.run('lint')).toMatchObject({ status: 0 });
  expect(project.run('diff')).toMatchObject({ status: 0 });
  expect(project.run('generate', '--check')).toMatchObject({ status: 0 });
});

test('everything compiles, and every operation answers the example of the contract', () => {
  expect(tsc()).toBe('');
  const { output } = jest();
  expect(titles(output, '✕')).toEqual([]);
  expect(titles(output, '✓')).toHaveLength(9);
});

test('the docs offer the client only with a guide about it', () => {
  expect(project.run('docs')).toEqual({ status: 0, output: expect.stringMatching(/wrote \d+ files/) });
  // The only guide is the first step, so there is no list of others.
  expect(project.read('dist/docs/index.html')).not.toContain('<section><h2>Guides');
  const files = readdirSync(join(project.folder, 'dist/docs'), { recursive: true }).map(String);
  expect(files.filter((file) => file.includes('client'))).toEqual([]);
  for (const file of files.filter((name) => /\.(html|md|txt)$/.test(name) && name !== 'reference.html'))
    expect([file, project.read(`dist/docs/${file}`)]).toEqual([file, expect.not.stringMatching(/TypeScript|@harbour/)]);
});

test('docs and packages are made of it', () => {
  project.write('docs/guides/client.md', '# The client\n\nHow to install it.\n\n{{client.install}}\n');
  expect(project.run('docs')).toMatchObject({ status: 0 });
  expect(project.read('dist/docs/index.html')).toContain('>Client for TypeScript and JavaScript</a>');
  expect(project.read('dist/docs/guides/client-reference.md')).toMatch(/baseUrl: 'https:[^:']+', /);
  const page = project.read('dist/docs/operations/getBerths.html');
  expect(page).toContain('Get berths');
  const [, sample = ''] =
    /```typescript\n([\s\S]*?)```\n/.exec(project.read('dist/docs/operations/getBerths.md')) ?? [];
  expect(sample).toContain("store.GET('/berths'");
  project.write('packages/client/test/sample.ts', sample.replace('@harbour/client', '../src/harbour.ts'));
  expect(project.run('pack', '--folder', 'packed')).toMatchObject({ status: 0 });
});

test('operations get code one after the other', () => {
  const { output } = project.run('new');
  expect(output).toMatch(/reserve +POST \/reservations/);
  const ids = ['createBerth', 'getBerths', 'putBerthsBerthIdPhoto', 'complain'];
  expect(project.run('new', 'operation', ...ids)).toMatchObject({ status: 0 });
  project.write(
    `${operations}/putBerthsBerthIdPhoto.ts`,
    `import type { Call, Result } from './operation.ts';

/** Stores a photo, with its type and size as a note. */
export async function putBerthsBerthIdPhoto({ body, storage }: Call<'putBerthsBerthIdPhoto'>): Promise<Result<'putBerthsBerthIdPhoto'>> {
  const { caption = 'none', photo } = body;
  await storage.addNote([caption, photo.name, photo.type, await photo.text()].join(' '));
  return { status: 204 };
}
`,
  );
  project.write(
    `${operations}/complain.ts`,
    `import type { Call, Result } from './operation.ts';

/** Complain. */
export async function complain({ body }: Call<'complain'>): Promise<Result<'complain'>> {
  return { status: 202, body: { nights: body.nights ?? 0, berths: body.berths ?? [] } };
}
`,
  );
  project.write(
    `${operations}/createBerth.ts`,
    `import type { Call, Result } from './operation.ts';

/** Create berth. */
export async function createBerth({ body, storage }: Call<'createBerth'>): Promise<Result<'createBerth'>> {
  if (body.name === 'North 1') return { status: 409, body: { title: 'Taken', detail: 'There is a berth with this name.' } };
  // @ts-expect-error The contract documents 4XX, and this is a 502.
  if (body.name === 'North 2') return { status: 502, body: { title: 'The harbour office does not answer.' } };
  // @ts-expect-error The title is a text.
  if (body.name === 'North 3') return { status: 409, body: { title: 7 } };
  await storage.addNote(body.name);
  return { status: 201, body: { ...body, id: '7f2c1c1e-3a55-4b5e-9a7c-0d7f2f0b6a11' } };
}
`,
  );
  project.write(
    `${operations}/getBerths.ts`,
    `import type { Call, Result } from './operation.ts';

/** Get berths: three pages, with as many berths as were added. */
export async function getBerths({ query, storage, urlOf }: Call<'getBerths'>): Promise<Result<'getBerths'>> {
  if (query.page > 99) return { status: 404, body: { title: 'Not found', detail: 'There is no page ' + query.page + '.' } };
  const count = await storage.countNotes();
  const berth = { id: '7f2c1c1e-3a55-4b5e-9a7c-0d7f2f0b6a11', name: \`page \${query.page}\`, length: 10 };
  const next = urlOf('getBerths', { query: { ...query, page: query.page + 1 } });
  const data = Array.from({ length: count }, () => berth);
  return { status: 200, body: { data, links: query.page < 3 ? { next } : {} } };
}
`,
  );
  expect(tsc()).toBe('');
  const { output: tested } = jest();
  expect(titles(tested, '✕')).toEqual([]);
  expect(titles(tested, '✓')).toEqual(
    expect.arrayContaining(['returns the status of the contract', 'an unknown key is refused']),
  );
});

test('lint names the line of a contract that can no longer be served, and the way out', () => {
  const given = project.read('openapi.yaml');
  project.write('openapi.yaml', given.replace('multipart/form-data', 'multipart/mixed'));
  expect(project.run('lint')).toEqual({
    status: 1,
    output: expect.stringMatching(
      /^openapi\.yaml:\d+: The server reads no multipart\/mixed.* add "PUT \/berths\/\{berth-id\}\/photo" to leftOut in contract-first\.yaml/,
    ),
  });
  project.write('openapi.yaml', given.replace('ship: Heron', 'ship: Egret'));
  expect(project.run('generate', '--check')).toMatchObject({ status: 1 });
  expect(project.run('generate')).toMatchObject({ status: 0 });
  expect(project.read('packages/server/test/generated/requests.json')).toContain('"ship": "Egret"');
  project.write('openapi.yaml', given);
  expect(project.run('generate')).toMatchObject({ status: 0 });
});

test('the client compiles, with queries for those who ask for them', () => {
  const manifest = JSON.parse(project.read('packages/client/package.json'));
  manifest.exports['./queries'] = './src/generated/queries.ts';
  manifest.peerDependencies = { '@tanstack/react-query': '^5.80.0' };
  project.write('packages/client/package.json', JSON.stringify(manifest));
  expect(project.run('generate').output).toContain('wrote packages/client/src/generated/queries.ts');
  project.write(
    'packages/client/test/call.ts',
    `import { createHarbour } from '../src/harbour.ts';

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const api = createHarbour({ baseUrl, apiKey });
const { data } = await api.berths.get({ page: 3 });
const names = [];
for await (const { name } of api.berths.get()) names.push(name);
for await (const { name } of api.berths.get({ page: 2 })) names.push(name);
const refused = await createHarbour({ baseUrl, apiKey: 'wrong' }).berths.get().catch((error) => error);
const { error: missing } = await createHarbour({ baseUrl, apiKey }).GET('/berths', { params: { query: { page: 100 } } });
console.log([data[0]?.name, refused.status, ...names].join(', '));
if (missing?.status === 404) console.log(missing.code, missing.data?.detail);
const { error: taken } = await api.POST('/berths', { body: { name: 'North 1', length: 10 } });
if (taken?.status === 409) console.log(taken.code, taken.data?.title);
// @ts-expect-error The contract documents 4XX, and this is a 502.
if (taken?.status === 502) console.log(taken.data?.title);
// @ts-expect-error The title is a text.
if (taken?.status === 409) taken.data?.title satisfies number | undefined;
`,
  );
  project.write(
    'packages/client/test/forms.ts',
    `import { issuesOf } from '../src/generated/forms.ts';
import { createHarbour } from '../src/harbour.ts';

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const api = createHarbour({ baseUrl, apiKey });
const photo = new Blob(['bytes'], { type: 'image/png' });
const params = { path: { 'berth-id': '7f2c1c1e-3a55-4b5e-9a7c-0d7f2f0b6a11' } };
const large = new Blob(['x'.repeat(200_001)], { type: 'image/png' });
await api.berths.putBerthIdPhoto({ ...params.path, body: { caption: 'Fog', photo } });
const refused = await api.PUT('/berths/{berth-id}/photo', { params, body: { photo: large } });
const { nights, berths } = await api.complaints.complain({ body: { about: 'A & b', nights: 2, berths: ['a', 'b'] } });
const gif = new Blob(['x'], { type: 'image/gif' });
const wrong = await api.PUT('/berths/{berth-id}/photo', { params, body: { photo: gif } });
console.log(JSON.stringify([refused.error?.code, nights, berths, issuesOf(wrong.error)]));
`,
  );
  expect(tsc()).toBe('');
});

test('a live server needs the function that verifies tokens, and refuses requests by what it returns', async () => {
  const verify = `${operations}/verify.ts`;
  const written = project.read(verify);
  const environment = {
    NODE_ENV: 'test',
    API_MODE: 'live',
    PORT: '0',
    DATABASE_URL: `sqlite:${join(parent, 'live.db')}`,
  };
  const refused = runNode(project.folder, ['packages/server/src/main.ts'], environment);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain(
    'The security scheme oauth has keysInTestMode, which a live server does not accept',
  );
  project.write(verify, written.replace('  oauth: keysInTestMode,\n', ''));
  expect(tsc()).toContain("Property 'oauth' is missing");
  const accepts = `(token) =>
    token === 'reading' ? { id: 'captain', scopes: ['berths:read'] } : undefined`;
  project.write(verify, written.replace('keysInTestMode,\n', `${accepts},\n`).replace('keysInTestMode, ', ''));
  expect(tsc()).toBe('');
  const server = runNode(project.folder, ['packages/server/src/main.ts'], environment);
  try {
    const [, url = ''] = /API +(http:\S+)/.exec(await server.printed(/API +http:\S+\n/)) ?? [];
    const ask = async (token: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const { status, headers: answered } = await fetch(`${url}/berths`, { headers, ...init });
      return [status, answered.get('www-authenticate')];
    };
    expect(await ask('reading')).toEqual([200, null]);
    expect(await ask('stolen')).toEqual([401, 'Bearer realm="harbour", error="invalid_token"']);
    expect(await ask('reading', { method: 'POST', body: '{"name":"North 7","length":12.5}' })).toEqual([
      403,
      'Bearer realm="harbour", error="insufficient_scope", scope="berths:write"',
    ]);
  } finally {
    server.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
  project.write(verify, written);
});

describe('on SQLite', () => describeServer(() => `sqlite:${join(parent, 'harbour.db')}`));
describeOnPostgres('on PostgreSQL', (postgres) => describeServer(() => postgres.freshUrl()));

describe('with settings of its own', () => {
  const settings = `name: Quay & Sons
logo: "<circle cx='16' cy='16' r='14'/>"
variable: QUAY
keyPrefix: qy
metricPrefix: quay
menu:
  Begin: [first-call, client]
  Go further: [errors]
completes: true
leftOut: ["POST /reservations"]
`;

  test('docs and packages have them', () => {
    project.write('contract-first.yaml', settings);
    project.write('docs/guides/errors.md', '# Errors\n\nWhat to do about each of them.\n');
    expect(project.run('generate')).toMatchObject({ status: 0 });
    expect(project.run('lint')).toMatchObject({
      status: 0,
      output: expect.stringContaining('POST /reservations can be served now: remove it from leftOut'),
    });
    const constants = project.read('packages/contract/src/generated/constants.ts');
    for (const text of ['keyPrefix = "qy"', 'metricPrefix = "quay"']) expect(constants).toContain(text);
    expect(project.run('docs')).toEqual({ status: 0, output: expect.stringMatching(/wrote \d+ files/) });
    const home = project.read('dist/docs/index.html');
    expect(home).toContain('<span>Quay &amp; Sons</span>');
    expect(home).toContain('<title>Docs · Quay &amp; Sons</title>');
    expect(home).toContain('<circle cx=');
    expect(home).toContain('<h2>Begin</h2>');
    expect(project.read('dist/docs/errors.html')).toContain('href="guides/errors.html"');
    expect(project.read('dist/docs/changelog.html')).not.toContain('guides/versions');
    expect(project.read('dist/docs/operations/getBerths.html')).toContain('QUAY_KEY');
    expect(project.run('pack', '--folder', 'packed')).toMatchObject({ status: 0 });
    expect(readdirSync(join(project.folder, 'packed')).filter((file) => file.endsWith('.tgz'))).toEqual([
      expect.stringMatching(/^harbour-client-2024\.5\.0-dev/),
      expect.stringMatching(/^harbour-contract-2024\.5\.0-dev/),
    ]);
  });
});

function describeServer(freshUrl: () => string | Promise<string>): void {
  test('the server runs, publishes what it serves, and marks examples', async () => {
    const environment = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: await freshUrl() };
    const server = runNode(project.folder, ['packages/server/src/main.ts'], environment);
    try {
      const banner = await server.printed(/curl .*\n/);
      const [, url = ''] = /API +(http:\S+)/.exec(banner) ?? [];
      const [, key = ''] = /API key +(\S+)/.exec(banner) ?? [];
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      expect(banner).toContain(`curl -H "Authorization: Bearer ${key}" "${url}/berths"`);
      const published = await (await fetch(`${url}/openapi.yaml`)).json();
      expect(published.paths['/berths'].get.operationId).toBe('getBerths');
      expect(published.paths).toHaveProperty(['/berths/{berth-id}/photo']);
      const status = await fetch(`${url}/status`);
      expect([status.status, status.headers.get('x-example-response'), await status.json()]).toEqual([
        200,
        'true',
        { open: true, wind: 1 },
      ]);
      expect((await fetch(`${url}/berths`)).status).toBe(401);
      const send = (body: object) => fetch(`${url}/berths`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect((await send({ name: 'North 7', length: 12.5 })).status).toBe(201);
      const refused = await send({ name: '', length: 0 });
      expect([refused.status, (await refused.json()).details]).toEqual([
        400,
        [
          { where: 'body/name', what: 'must not be empty' },
          { where: 'body/length', what: 'must be > 0' },
        ],
      ]);
      const listed = await (await fetch(`${url}/berths?page=2`, { headers })).json();
      expect(listed.data.map(({ name }: { name: string }) => name)).toEqual(['page 2']);
      expect(project.node('packages/client/test/call.ts', url, key)).toEqual({
        status: 0,
        output: `page 3, 401, page 1, page 2, page 3, page 2, page 3
documented_error There is no page 100.
documented_error Taken
`,
      });
      const count = async () => (await (await fetch(`${url}/berths`, { headers })).json()).data.length;
      const before = await count();
      const what = 'must have the type image/jpeg or image/png, not image/gif';
      const { status: ended, output } = project.node('packages/client/test/forms.ts', url, key);
      expect({ ended, output: JSON.parse(output) }).toEqual({
        ended: 0,
        output: ['body_too_large', 2, ['a', 'b'], [{ message: what, path: ['photo'], field: 'photo' }]],
      });
      // The photo is stored.
      expect(await count()).toBe(before + 1);
      const responses = [
        await fetch(`${url}/berths`),
        await send({ name: '', length: 0 }),
        ...parseResponses(await sendBytes(url, 'GARBAGE\r\n\r\n')),
      ];
      const { schemas } = JSON.parse(
        JSON.stringify(published.components).replaceAll('#/components/schemas', '#/$defs'),
      );
      const codes = [];
      for (const response of responses) {
        const body = JSON.parse('json' in response ? await response.text() : response.text);
        const type = response.headers.get('content-type');
        expect([type, body.status]).toEqual(['application/problem+json', response.status]);
        expect(problemsOf(body, { $ref: '#/$defs/Error' }, schemas, '')).toEqual([]);
        codes.push(body.code);
      }
      expect(codes).toEqual(['api_key_missing', 'invalid_request', 'malformed_http']);
      const taken = await send({ name: 'North 1', length: 10 });
      expect([taken.status, taken.headers.get('content-type'), await taken.json()]).toEqual([
        409,
        'application/problem+json',
        { title: 'Taken', detail: 'There is a berth with this name.' },
      ]);
      expect(await count()).toBe(before + 1);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await server.ended).toBe(0);
  });
}
