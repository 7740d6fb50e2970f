/** A project takes newer packages: it keeps its data, its code and its contract, and its team learns what to look at. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { newApi } from '../../../tooling/src/new/api.ts';
import { libraryVersions } from '../../../tooling/src/new/machinery.ts';
import { type Upgrade, upgradeProject, upgradeText } from '../../../tooling/src/new/upgrade.ts';
import { Repository } from './repository.ts';

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'upgrade-')));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const before = new Repository(join(parent, 'before'));
const after = new Repository(join(parent, 'after'));
const operations = 'packages/server/src/operations';
const contract = `openapi: 3.1.0
info: { title: Harbour, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /berths:
    post:
      operationId: createBerth
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Berth' } } }
      responses:
        '200': { description: The berth, content: { application/json: { schema: { $ref: '#/components/schemas/Berth' } } } }
  /status:
    get:
      operationId: status
      security: []
      responses: { '204': { description: It is open } }
  /chart:
    get:
      operationId: getChart
      responses:
        '200': { description: As XML, content: { application/xml: { schema: { type: object } } } }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
  schemas:
    Berth: { type: object, required: [name], properties: { name: { type: string } } }
`;
let upgrade: Upgrade;

/** The packages of the project as of a version to come, with a migration and another form of a generated file. */
function nextPackages(): Record<string, string> {
  const vendor = join(before.folder, 'vendor');
  return Object.fromEntries(
    readdirSync(vendor).map((file) => {
      const folder = join(parent, 'next', basename(file, '.tgz'));
      cpSync(vendor, folder, { recursive: true });
      execFileSync('tar', ['-xzf', file], { cwd: folder });
      const edit = (path: string, change: (text: string) => string) => {
        const at = join(folder, 'package', path);
        writeFileSync(at, change(readFileSync(at, 'utf8')));
      };
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
      edit('package.json', (text) => text.replaceAll(`"${version}"`, '"99.0.0"'));
      if (name === '@contract-first/service') {
        for (const engine of ['sqlite', 'postgres']) {
          const migration = `package/dist/storage/migrations/${engine}/0099-marks.sql`;
          writeFileSync(join(folder, migration), 'CREATE TABLE marks (id INTEGER PRIMARY KEY);\n');
        }
      }
      if (name === '@contract-first/tooling') {
        edit('dist/generate/constants.js', (text) => text.replace('Do not edit:', 'Please do not edit:'));
      }
      const tarball = join(parent, `${name.slice(1).replace('/', '-')}-99.0.0.tgz`);
      execFileSync('tar', ['-czf', tarball, 'package'], { cwd: folder });
      return [name, tarball];
    }),
  );
}

beforeAll(async () => {
  writeFileSync(join(parent, 'openapi.yaml'), contract);
  newApi(before.folder, join(parent, 'openapi.yaml'), 'harbour');
  before.installVendored();
  expect(before.run('generate')).toMatchObject({ status: 0 });
  expect(before.run('new', 'operation', 'createBerth')).toMatchObject({ status: 0 });
  before.write(
    `${operations}/createBerth.ts`,
    `import type { Call, Result } from './operation.ts';

/** Create berth. */
export async function createBerth({ body, storage }: Call<'createBerth'>): Promise<Result<'createBerth'>> {
  await storage.addNote(body.name);
  return { status: 200, body: { name: \`note \${await storage.countNotes()}\` } };
}
`,
  );
  cpSync(before.folder, after.folder, { recursive: true, filter: (file) => !file.endsWith('node_modules') });
  after.write(
    'package-lock.json',
    JSON.stringify({ packages: { 'node_modules/@contract-first/service': {}, 'node_modules/pino': {} } }),
  );
  const manifest = JSON.parse(after.read('package.json'));
  Object.assign(manifest.devDependencies, { jest: '1.0.0', react: '99.0.0' });
  after.write('package.json', JSON.stringify(manifest));
  after.write('packages/server/test/harness.ts', `${after.read('packages/server/test/harness.ts')}// Ours.\n`);
  after.write(
    'contract-first.yaml',
    after.read('contract-first.yaml').replace(/^leftOut:[\s\S]*/m, 'leftOut: [GET /status]\n'),
  );
  upgrade = await upgradeProject(after.folder, { tarballs: nextPackages(), libraries: libraryVersions() });
  after.installVendored();
}, 240_000);

test('an upgrade replaces the packages, raises the libraries, and says what to look at', () => {
  const { devDependencies } = JSON.parse(after.read('package.json'));
  expect(devDependencies).toMatchObject({
    '@contract-first/service': 'file:vendor/contract-first-service-99.0.0.tgz',
    jest: libraryVersions()['jest'],
    react: '99.0.0',
  });
  expect(readdirSync(join(after.folder, 'vendor')).filter((file) => !file.endsWith('-99.0.0.tgz'))).toEqual([]);
  // The checksums of the tarballs are others.
  expect(JSON.parse(after.read('package-lock.json'))).toEqual({ packages: { 'node_modules/pino': {} } });
  expect(upgrade.versions).toContain(`jest: 1.0.0 -> ${libraryVersions()['jest']}`);
  expect(upgrade.files).toEqual(['packages/server/test/harness.ts']);
  expect(upgrade.contract).toEqual([expect.stringMatching(/^breaking: .*status/)]);
  expect(upgrade.operations).toEqual([
    expect.stringMatching(
      /^GET \/chart is no longer served: .*openapi\.yaml:\d+: The server treats application\/xml as bytes/,
    ),
    'GET /status can be served now. Remove it from leftOut in contract-first.yaml.',
  ]);
  expect(upgradeText('harbour', upgrade)).toContain('  2. npm install\n  3. npm test ');
});

test('the checks find what the new packages generate in another form, and pass after generate', () => {
  after.write('contract-first.yaml', before.read('contract-first.yaml'));
  expect(after.run('generate', '--check')).toMatchObject({ status: 1 });
  expect(after.run('generate')).toMatchObject({ status: 0 });
  expect(after.read('packages/contract/src/generated/constants.ts')).toContain('Please do not edit');
  expect(after.run('lint')).toMatchObject({ status: 0 });
  expect(after.node('node_modules/typescript/bin/tsc').output).toBe('');
  const jest = after.node('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', 'every-operation');
  expect(jest).toMatchObject({ status: 0 });
});

describe('on SQLite', () => describeData(() => `sqlite:${join(parent, 'harbour.db')}`));
describeOnPostgres('on PostgreSQL', (postgres) => describeData(() => postgres.freshUrl()));

function describeData(freshUrl: () => string | Promise<string>): void {
  test('the data and the keys of before are there, and the new tables too', async () => {
    const url = await freshUrl();
    const first = await addBerth(before, url);
    expect(first).toMatchObject({ status: 200, name: 'note 1' });
    expect(await addBerth(after, url, first.key)).toMatchObject({ status: 200, name: 'note 2' });
    // It does not know the tables of now.
    const refused = startOf(before, url);
    expect(await refused.ended).not.toBe(0);
    expect(refused.output()).toContain('service/0099-marks.sql');
  });
}

const startOf = (project: Repository, url: string) =>
  runNode(project.folder, ['packages/server/src/main.ts'], { NODE_ENV: 'development', PORT: '0', DATABASE_URL: url });

/** Starts the server of a project, calls its operation with code, and stops it. */
async function addBerth(project: Repository, url: string, known?: string) {
  const server = startOf(project, url);
  const [, origin] = /API +(http:\S+)/.exec(await server.printed(/API +http\S+/)) ?? [];
  const key = known ?? /API key +(\S+)/.exec(await server.printed(/API key +\S+/))?.[1];
  const response = await fetch(`${origin}/berths`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'North 7' }),
  });
  const { name } = await response.json();
  server.kill('SIGTERM');
  await server.ended;
  return { status: response.status, name, key };
}
