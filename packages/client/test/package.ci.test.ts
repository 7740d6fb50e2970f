import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { publint } from 'publint';
import ts from 'typescript';
import { operationIds } from '../../server/test/contract.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { findChromium } from '../../testing/src/chromium.ts';
import { leaveOut } from '../../testing/src/left-out.ts';
import { root } from '../../tooling/src/project.ts';
import { findNode, leaveOutNode } from '../../tooling/test/runtimes.ts';
import { describeEditor } from './package/editor.ts';
import { describeEnvironments } from './package/environments.ts';
import { type PackedClient, packClient, runNode } from './package/packed.ts';
import { describeSubPaths } from './package/sub-paths.ts';
import { readPage } from './pages.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const oldCompiler = join(root, 'packages/client/node_modules/typescript/bin/tsc');
const newCompiler = join(root, 'node_modules/typescript/bin/tsc');

let packed: PackedClient;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  packed = await packClient();
}, 120_000);
afterAll(async () => {
  packed?.remove();
  await server.stop();
});

/** The output of a consumer's program, which calls the real server. */
async function run(node: string, project: string, program: string): Promise<object> {
  const environment = { ANIMAL_STORE_URL: `${server.url}/v1`, ANIMAL_STORE_KEY: server.key };
  const { stdout, stderr } = await runNode(node, packed.project(project), [program], environment);
  return { ...JSON.parse(stdout), stderr };
}

describe('the tarball', () => {
  const installed = (file: string) => join(packed.project('node-esm'), 'node_modules/@animal-store/client', file);

  test('has no problem that publint finds', async () => {
    const { messages } = await publint({ pack: { tarball: packed.tarball.buffer }, strict: true });
    // Bundlers that do not know `imports` fail, and those that do not know `browser` only make a larger page.
    expect(messages.filter(({ code }) => code !== 'USE_EXPORTS_OR_IMPORTS_BROWSER')).toEqual([]);
  });

  test('has the right types for every kind of import', async () => {
    const result = await checkPackage(createPackageFromTarballData(packed.tarball));
    const problems = result.types === false ? ['no types'] : result.problems;
    // TypeScript 7 has dropped `moduleResolution: node10`, which ignores `exports`.
    const isOld = (problem: object) => 'resolutionKind' in problem && problem.resolutionKind === 'node10';
    expect(problems.filter((problem) => typeof problem === 'string' || !isOld(problem))).toEqual([]);
  });

  const manifest = () => JSON.parse(readFileSync(installed('package.json'), 'utf8'));

  test('needs no other package, and has no side effects', () => {
    expect(manifest()).not.toHaveProperty('dependencies');
    expect(manifest()).toMatchObject({ sideEffects: false, license: 'MIT' });
  });

  test('has no development fields, and links to its docs, its sources and its issues', () => {
    for (const field of ['scripts', 'devDependencies', 'publishConfig', 'private']) {
      expect(manifest()).not.toHaveProperty(field);
    }
    expect(JSON.stringify(manifest())).not.toMatch(/workspace:|catalog:|src\//);
    const url = expect.stringMatching(/^(git\+)?https:/);
    expect(manifest()).toMatchObject({
      homepage: url,
      repository: { url, directory: 'packages/client' },
      bugs: { url },
    });
  });

  test('has its changelog, the licenses of the code inside, and documents without links to files that it lacks', () => {
    expect(readFileSync(installed('CHANGELOG.md'), 'utf8')).toContain(`## ${manifest().version}`);
    const licenses = readFileSync(installed('dist/LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/^@cfworker\/json-schema .* \(MIT\)\n\n *Copyright Jeremy Danyow/m);
    const pages = globSync('{*,docs/*}.md', { cwd: installed('') });
    expect(pages).toContain(join('docs', 'react.md'));
    const links = pages.flatMap((page) =>
      [...readFileSync(installed(page), 'utf8').matchAll(/\]\(([^)\s#]+)/g)].map(
        ([, link = '']) => [page, link] as const,
      ),
    );
    const local = links.filter(([, link]) => !link.startsWith('https:'));
    expect(local).toContainEqual(['README.md', './docs/react.md']);
    expect(local.filter(([page, link]) => !existsSync(join(dirname(installed(page)), link)))).toEqual([]);
  });

  test.each([
    ['an import', 'dist/index.d.ts', 'dist/index.js'],
    ['a require', 'dist/index.d.cts', 'dist/index.cjs'],
  ])('exports from %s exactly the values that its types promise', async (_, types, code) => {
    const names = Object.keys(
      code.endsWith('.cjs') ? createRequire(import.meta.url)(installed(code)) : await import(installed(code)),
    );
    expect(declaredValues(installed(types)).toSorted()).toEqual(
      names.filter((name) => name !== '__esModule').toSorted(),
    );
  });

  test('marks operations that the contract calls deprecated or beta in its types', () => {
    const marksIn = (text: string) => text.match(/@deprecated|@beta/g)?.toSorted();
    const contract = marksIn(readFileSync(join(root, 'packages/contract/src/generated/openapi.ts'), 'utf8'));
    expect(contract).toEqual(expect.arrayContaining(['@deprecated', '@beta']));
    for (const ending of ['.d.ts', '.d.cts']) {
      const files = globSync(`dist/{index,shared/openapi}${ending}`, { cwd: installed('.') });
      expect(marksIn(files.map((file) => readFileSync(installed(file), 'utf8')).join(''))).toEqual(contract);
    }
  });
});

describe('the size', () => {
  test('of all declarations is within its limit', () => {
    const folder = join(packed.project('node-esm'), 'node_modules/@animal-store/client/dist');
    const files = globSync('**/*.d.ts', { cwd: folder });
    const bytes = files.reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(100_000 + 5_400 * operationIds().length);
  });

  test('is within its limits, and within a tenth of what the README says', async () => {
    const folder = join(packed.project('node-esm'), 'node_modules/@animal-store/client');
    // Fails if a limit is exceeded.
    const { stdout } = await runNode(process.execPath, root, ['packages/client/test/package/size.ts', folder]);
    const sizesIn = (text: string) =>
      [...text.matchAll(/ (\d+\.\d) kB \|$/gm)].map(([, kilobytes]) => Number(kilobytes));
    const [measured, stated] = [sizesIn(stdout), sizesIn(readme)];
    expect(stated).toHaveLength(measured.length);
    // Each operation adds to them.
    const drifts = measured.map((size, index) => Math.abs(size - (stated[index] ?? 0)) / size);
    expect(Math.max(...drifts)).toBeLessThan(0.1);
  });
});

describe.each([20, 22, 24, 26])('on Node %i', (major) => {
  const node = findNode(major);
  if (node === undefined) leaveOutNode('the client', major);
  const onNode = node === undefined ? test.skip : test;
  const worked = { isListed: true, refusal: 'order_not_found', stderr: '' };

  onNode('it can be imported', async () => {
    expect(await run(node ?? '', 'node-esm', 'index.js')).toEqual({ added: 'Rex', ...worked });
  });

  onNode('it can be required', async () => {
    expect(await run(node ?? '', 'node-commonjs', 'index.js')).toEqual({ added: 'Bella', ...worked });
  });

  onNode.each([
    ['node-esm', 'module', "import { createAnimalStore } from '@animal-store/client';"],
    ['node-commonjs', 'commonjs', "const { createAnimalStore } = require('@animal-store/client');"],
  ])('it validates responses in development: %s', async (project, type, importing) => {
    const program = `${importing}
      const fetch = async () => Response.json({});
      const store = createAnimalStore({ apiKey: 'a', baseUrl: 'http://api.example/v1', fetch });
      store.GET('/pets').then(({ error }) => console.log(error?.message));`;
    const parameters = [`--input-type=${type}`, '--eval', program];
    const { stdout } = await runNode(node ?? '', packed.project(project), parameters, { NODE_ENV: 'development' });
    expect(stdout).toContain('body must be an array');
  });
});

describe.each([
  ['TypeScript 5', oldCompiler],
  ['TypeScript 7', newCompiler],
])('compiled by %s', (_, compiler) => {
  test('it works with moduleResolution nodenext, as ESM and as CommonJS', async () => {
    const project = packed.project('typescript-nodenext');
    // Most of the time is spent on the libraries, which `bundler` would read a second time.
    cpSync(join(packed.project('typescript-bundler'), 'index.ts'), join(project, 'index.mts'));
    await runNode(process.execPath, project, [compiler]);
    const esm = await run(process.execPath, 'typescript-nodenext', 'esm.mjs');
    expect(esm).toEqual({ added: 'Milo', isListed: true, refusal: 'order_not_found', stderr: '' });
    const commonJs = await run(process.execPath, 'typescript-nodenext', 'commonjs.cjs');
    expect(commonJs).toEqual({ added: 'Coco', isListed: true, refusal: 'pet_not_found', stderr: '' });
    const output = await run(process.execPath, 'typescript-nodenext', 'index.mjs');
    expect(output).toEqual({ added: 'Luna', isListed: true, refusal: 'invalid_request', stderr: '' });
  });
});

// "has the right types for every kind of import" covers this for TypeScript 5.
test('compiled by TypeScript 7, it works with moduleResolution bundler', async () => {
  await runNode(process.execPath, packed.project('typescript-bundler'), [newCompiler]);
  const output = await run(process.execPath, 'typescript-bundler', 'index.js');
  expect(output).toEqual({ added: 'Luna', isListed: true, refusal: 'invalid_request', stderr: '' });
});

describe('bundled by Vite', () => {
  const vite = join(root, 'packages/client/node_modules/vite/bin/vite.js');
  const chromium = findChromium();
  if (chromium === undefined) leaveOut('the client in a browser', 'install Chromium (apt-get install chromium)');
  const inBrowser = chromium === undefined ? test.skip : test;

  inBrowser('it works in a page whose origin differs from that of the API', async () => {
    const project = packed.project('vite');
    await runNode(process.execPath, project, [newCompiler]);
    await runNode(process.execPath, project, [vite, 'build']);
    const search = new URLSearchParams({ url: `${server.url}/v1`, key: server.key });
    const output = await readPage(chromium ?? '', join(project, 'dist'), search);
    expect(JSON.parse(output ?? '')).toEqual({ added: 'Daisy', isListed: true, refusal: 'order_not_found' });
  });
});

describe('the sub-paths', () => describeSubPaths(() => packed));

describe('in an editor', () => describeEditor(() => packed));

describeEnvironments(
  () => packed,
  () => server,
);

/** The names of the values that a declaration file exports for use at runtime. Pure types are left out. */
function declaredValues(file: string): string[] {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module.`);
  const isValue = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
  const target = (symbol: ts.Symbol) =>
    (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
  return checker
    .getExportsOfModule(module)
    .filter((symbol) => isValue(target(symbol)))
    .map(({ name }) => name);
}
