import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { runNode } from '../../../testing/src/child.ts';
import { findChromium, launchChromium } from '../../../testing/src/chromium.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { booksContract } from '../../../tooling/test/books-fixture.ts';
import { createReader } from '../../../tooling/test/in-browser/reader.ts';
import { startStaticHost } from '../../../tooling/test/in-browser/static-host.ts';
import { textNote } from '../../../tooling/test/second-contract-fixture.ts';
import { OtherRepository } from './other-repository.ts';

const other = new OtherRepository();
const { folder } = other;
const operations = 'packages/server/src/operations';
afterAll(() => other.remove());

test('the tools lint its contract, and generate its types', () => {
  const rules = other.read('.redocly.yaml');
  expect(other.run('--help').output).toContain('contract-first COMMAND');
  expect(other.run('lint')).toMatchObject({ status: 0 });
  const { status, output } = other.run('generate');
  expect({ status, output }).toMatchObject({
    status: 0,
    output: expect.stringContaining('wrote packages/contract/src/generated/'),
  });
  expect(other.run('generate', '--check')).toMatchObject({ status: 0 });
  rmSync(join(folder, '.redocly.yaml'));
  expect(other.run('lint')).toEqual({ status: 1, output: expect.stringMatching(/^\.redocly\.yaml is missing\..*\n$/) });
  other.write('.redocly.yaml', rules);
  const contract = other.read('openapi.yaml');
  other.write('openapi.yaml', contract.replace('"operationId": "listNotes"', '"operationId": "list-notes"'));
  expect(other.run('lint')).toMatchObject({ status: 1, output: expect.stringContaining('list-notes') });
  expect(other.run('generate', '--check')).toMatchObject({ status: 1 });
  other.write('openapi.yaml', contract);
});

/** Tests of another repository run on its sources, without their types. */
const jestConfig = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
  },
};

const options = [
  '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --allowImportingTsExtensions',
  '--module nodenext --target es2024 --lib es2024,esnext.disposable --types node',
].flatMap((line) => line.split(' '));

test('the operations of another repository compile with the types of the tarball', () => {
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const compile = () => other.node(compiler, ...options, 'packages/server/src/main.ts').output;
  expect(compile()).toBe('');
  const operation = join(folder, operations, 'getNote.ts');
  const written = readFileSync(operation, 'utf8');
  writeFileSync(operation, written.replace('status: 200', 'status: 418'));
  expect(compile()).toContain('418');
  writeFileSync(operation, written);
});

test('its own middleware, and the code of the README, compile and run with the tarball', () => {
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  // As in CONTRIBUTING.md.
  other.write(
    'packages/server/src/middleware.ts',
    `import { ApiError, type OwnMiddleware } from '@contract-first/service';
import { Router } from 'express';

export const middleware: OwnMiddleware = {
  beforeKey: [Router().post('/webhooks/payments', (_request, response) => void response.sendStatus(202))],
  afterKey: [
    (request, _response, next) =>
      next(request.context.key?.plan === 'paused' ? new ApiError('service_unavailable', 'Not now.') : undefined),
    (request, _response, next) => {
      // @ts-expect-error a field that the context does not have
      void request.context.caller;
      next();
    },
  ],
};
`,
  );
  const readme = other.read('node_modules/@contract-first/service/README.md');
  // Another test runs the other blocks.
  const blocks = Array.from(readme.matchAll(/```ts\n(.*?)```/gs), ([, code = '']) => code);
  const files = ['middleware.ts', 'readme-part.ts'].map((name) => `packages/server/src/${name}`);
  other.write('packages/server/src/readme-part.ts', blocks.find((code) => code.includes('service.start(')) ?? '');
  expect(other.node(compiler, ...options, ...files).output).toBe('');
  expect(other.node('packages/server/src/readme-part.ts')).toEqual({
    status: 0,
    output: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1 listens on port \d+\n$/),
  });
  for (const file of files) rmSync(join(folder, file));
});

test('diff finds what would break callers of its last release', () => {
  const contract = other.read('openapi.yaml');
  other.write('releases/openapi-1.0.0.yaml', contract);
  expect(other.run('diff')).toMatchObject({ status: 0, output: expect.stringContaining('0 breaking') });
  other.write('openapi.yaml', contract.replace('"maximum": 1000000', '"maximum": 1000'));
  expect(other.run('diff')).toMatchObject({ status: 1, output: expect.stringContaining('v1 must stay compatible') });
  other.write('openapi.yaml', contract);
  rmSync(join(folder, 'releases'), { recursive: true });
});

test('docs are built from its contract and guides', () => {
  expect(other.run('docs')).toEqual({ status: 0, output: expect.stringMatching(/wrote \d+ files/) });
  expect(other.read('dist/docs/operations/listNotes.html')).toContain('List notes');
  expect(other.read('dist/docs/guides/keys.html')).toContain('What to know first.');
});

const executable = findChromium();
if (executable === undefined)
  leaveOut('docs of another API on a static host', 'install Chromium (apt-get install chromium)');

(executable === undefined ? test.skip : test)(
  'its docs work in any folder of a static host, and their samples call its test server',
  async () => {
    const docs = join(folder, 'dist/docs');
    const paths = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => /\.\w+$/.test(path));
    const files = paths.map((path) => ({ path, content: readFileSync(join(docs, path)) }));
    const host = await startStaticHost(files, '/notes/docs/');
    const browser = await launchChromium(executable ?? '');
    try {
      const notes: string[] = [];
      const reader = createReader(browser, host.origin, notes);
      const page = await reader.open('/notes/docs/', { colours: 'light', width: 1280 });
      await page.keyboard.press('/');
      await page.keyboard.type('list notes');
      await page
        .getByRole('option', { name: /listNotes/ })
        .first()
        .click();
      await page.waitForURL(/\/notes\/docs\/operations\/listNotes\.html/);
      await page.getByText('https://staging.api.field-notes.example/v1/notes').first().waitFor();
      for (const path of paths.filter((path) => /^(operations|guides)\/.*\.html$|^\w+\.html$/.test(path))) {
        if (path !== 'console.html' && path !== '404.html')
          await reader.open(`/notes/docs/${path}`, { colours: 'dark', width: 390 });
      }
      expect(notes).toEqual([]);
    } finally {
      await browser.close();
      host.stop();
    }
  },
);

test('new lists the operations without a file, and writes migrations for both engines', () => {
  expect(other.run('new')).toMatchObject({ status: 0 });
  const { status, output } = other.run('new', 'migration', 'colours');
  const written = [...output.matchAll(/wrote (.+)/g)].map(([, file = '']) => file);
  expect({ status, written }).toEqual({
    status: 0,
    written: ['sqlite', 'postgres'].map((engine) => `${operations}/storage/migrations/${engine}/0002-colours.sql`),
  });
  for (const file of written) rmSync(join(folder, file));
});

describe('new operation', () => {
  const index = other.read(`${operations}/index.ts`);
  const contract = other.read('openapi.yaml');
  const files = ['getSummary.ts', 'getSummary.test.ts'].map((name) => `${operations}/${name}`);
  const shared = ['harness.ts', 'common-responses.ts'].map((name) => `packages/server/test/${name}`);

  afterAll(() => {
    for (const file of [...files, ...shared]) rmSync(join(folder, file), { force: true });
    other.write(`${operations}/index.ts`, index);
    other.write('openapi.yaml', contract);
    other.run('generate');
  });

  test('checks everything before it writes anything', () => {
    const { paths, ...document } = JSON.parse(contract);
    const summary = { get: { ...paths['/notes'].get, operationId: 'getSummary', summary: 'Summarise the notes' } };
    other.write('openapi.yaml', JSON.stringify({ ...document, paths: { ...paths, '/summary': summary } }, null, 2));
    other.write(shared[1] ?? '', '');
    expect(other.run('new', 'operation', 'getSummary')).toEqual({
      status: 1,
      output: expect.stringContaining('harness.ts is missing'),
    });
    rmSync(join(folder, shared[1] ?? ''));
    rmSync(join(folder, `${operations}/index.ts`));
    expect(other.run('new', 'operation', 'getSummary')).toEqual({
      status: 1,
      output: expect.stringContaining('index.ts is missing'),
    });
    other.write(`${operations}/index.ts`, index);
    expect([...files, ...shared].filter((file) => existsSync(join(folder, file)))).toEqual([]);
  });

  test('writes its files, which compile', () => {
    const { status, output } = other.run('new', 'operation', 'getSummary');
    expect({ status, output }).toMatchObject({ status: 0, output: expect.not.stringContaining('model') });
    for (const file of [...files, ...shared]) expect(output).toContain(`wrote ${file}\n`);
    expect(output).not.toContain('npm install');
    expect(other.read(`${operations}/index.ts`)).toContain('getSummary');
    const compiler = join(folder, 'node_modules/typescript/bin/tsc');
    expect(other.node(compiler, ...options, files[1] ?? '', 'packages/server/src/main.ts').output).toBe('');
  });

  test('writes a test that runs, and waits only for the operation to be written', () => {
    other.write('jest.config.json', JSON.stringify(jestConfig));
    const jest = join(folder, 'node_modules/jest/bin/jest.js');
    const { output } = other.node('--experimental-vm-modules', jest, '--verbose', 'getSummary');
    const failed = [...output.matchAll(/✕ (.+?)(?: \(\d+ m?s\))?$/gm)].map(([, title]) => title);
    const passed = [...output.matchAll(/✓ (.+?)(?: \(\d+ m?s\))?$/gm)].map(([, title]) => title);
    expect({ failed, passed }).toEqual({
      failed: expect.arrayContaining(['returns the status of the contract']),
      passed: expect.arrayContaining([
        '401 without a key',
        '429 over the limit of the key',
        '431 for large headers',
        '500 when the operation throws',
      ]),
    });
    expect(failed.filter((title) => !/^(returns the status|with \?|an unchanged)/.test(title ?? ''))).toEqual([]);
  });
});

test('pack makes tarballs of its contract and its client', () => {
  const { status, output } = other.run('pack', '--folder', 'packed');
  const tarballs = ['contract', 'client'].map((name) => `packed/field-notes-${name}-1.0.0-dev.tgz`);
  expect({ status, output }).toEqual({ status: 0, output: tarballs.map((file) => `${file}\n`).join('') });
  const inClient = (file: string) =>
    execFileSync('tar', ['-xzOf', tarballs[1] ?? '', `package/${file}`], { cwd: folder });
  const types = String(inClient('dist/index.d.ts'));
  expect(types).toContain('createFieldNotes');
  // Partners install one package.
  expect(`${types}${inClient('dist/index.js')}${inClient('package.json')}`).not.toMatch(
    /["']@(contract-first|field-notes)\/(?!client")/,
  );
});

test('pack takes the names of packages', () => {
  expect(other.run('pack', 'contract', '--folder', 'one')).toEqual({
    status: 0,
    output: 'one/field-notes-contract-1.0.0-dev.tgz\n',
  });
  expect(other.run('pack', 'notes')).toEqual({
    status: 1,
    output: expect.stringContaining('There is no package notes to pack. The packages are: client, contract.'),
  });
});

test('testing runs a PostgreSQL of its own', () => {
  other.write(
    'packages/server/test/postgres.ts',
    `import { startPostgres } from '@contract-first/testing/postgres/server';
const postgres = await startPostgres();
const rows = await postgres.query('SELECT 6 * 7');
console.log(Number(rows[0]?.[0]));
await postgres.remove();
`,
  );
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const file = 'packages/server/test/postgres.ts';
  expect(other.node(compiler, ...options, file).output).toBe('');
  expect(other.node(file)).toEqual({ status: 0, output: '42\n' });
});

test('dev starts the server, and follows the contract', async () => {
  const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'dev.db')}` };
  const dev = runNode(folder, ['node_modules/.bin/contract-first', 'dev'], environment);
  try {
    await dev.printed(/API +http:\S+/);
    await dev.printed(/lint: ok/);
    await dev.printed(/docs: ok/);
  } finally {
    dev.kill('SIGTERM');
  }
  expect(await dev.ended).toBe(0);
});

test('the example in the README of the service compiles and runs', async () => {
  const { paths, webhooks: _, ...document } = booksContract();
  other.write('example/openapi.yaml', JSON.stringify({ ...document, paths: { '/books': paths['/books'] } }));
  other.write('example/package.json', '{ "name": "book-library", "private": true, "type": "module" }');
  const readme = other.read('node_modules/@contract-first/service/README.md');
  for (const [, file = '', text = ''] of readme.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)) {
    other.write(`example/${file}`, text);
  }
  const example = join(folder, 'example');
  mkdirSync(join(example, 'node_modules/@book-library'), { recursive: true });
  symlinkSync(join(example, 'packages/contract'), join(example, 'node_modules/@book-library/contract'));
  symlinkSync(join(folder, 'node_modules/@contract-first'), join(example, 'node_modules/@contract-first'));
  const run = (...parameters: string[]) =>
    execFileSync(process.execPath, parameters, { cwd: example, encoding: 'utf8' });
  run(join(folder, 'node_modules/.bin/contract-first'), 'generate');
  expect(run(join(folder, 'node_modules/typescript/bin/tsc'), ...options, 'packages/server/src/main.ts')).toBe('');
  const environment = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'books.db')}` };
  const server = runNode(example, ['packages/server/src/main.ts'], environment);
  try {
    const [, url] = /API +(http:\S+)/.exec(await server.printed(/API +http:\S+/)) ?? [];
    const command = ['packages/server/src/main.ts', 'keys', 'create', '--plan', 'free', '--json'];
    const env = { ...process.env, ...environment };
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: example, env });
    const { key }: { key: string } = JSON.parse(stdout);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Emma', shelfId: 3 });
    expect((await fetch(`${url}/books`, { method: 'POST', headers, body })).status).toBe(201);
    const listed = await fetch(`${url}/books`, { headers });
    expect({ status: listed.status, body: await listed.json() }).toEqual({
      status: 200,
      body: [{ id: 1, name: 'Emma', shelfId: 3 }],
    });
  } finally {
    server.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
});

describe('on SQLite', () => describeService(() => `sqlite:${join(folder, 'notes.db')}`));
describeOnPostgres('on PostgreSQL', (postgres) => describeService(() => postgres.freshUrl()));

function describeService(freshUrl: () => string | Promise<string>): void {
  test('the tarball serves the contract, and its commands make keys', async () => {
    const environment = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: await freshUrl() };
    const server = runNode(folder, ['packages/server/src/main.ts'], environment);
    try {
      const [, url] = /API +(http:\S+)/.exec(await server.printed(/API +http:\S+/)) ?? [];
      const command = ['packages/server/src/main.ts', 'keys', 'create', '--plan', 'free', '--json'];
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env });
      const { key }: { key: string } = JSON.parse(stdout);
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const create = (body: object) => fetch(`${url}/notes`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect((await create(textNote)).status).toBe(201);
      expect((await create({ ...textNote, weight: 'heavy' })).status).toBe(400);
      const listed = await fetch(`${url}/notes`, { headers });
      expect({ status: listed.status, text: await listed.text() }).toMatchObject({
        status: 200,
        text: expect.stringContaining('Heron'),
      });
    } finally {
      server.kill('SIGTERM');
    }
    expect(await server.ended).toBe(0);
  });
}
