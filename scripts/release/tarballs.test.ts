import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractVersion } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../root.ts';
import { findNode, leaveOutNode } from '../testing/node-versions.ts';
import { copyWorkspace } from '../testing/workspace-copy.ts';
import { installTarballs, packCopy, packDependencies } from './tarballs.ts';

/** What a user of the packages writes; it prints what came of it. */
const userCode = `
import { createAnimalStore } from '@animal-store/client';
import { contractVersion, type ErrorCode, operations, type Pet } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';

const fetch = async (request: Request) => Response.json([{ id: 1, name: request.url, categoryId: 3 }]);
const store = createAnimalStore({ apiKey: 'as_test_x', baseUrl: 'http://store.example/v1', fetch });
const { data } = await store.GET('/pets', { params: { query: { status: 'sold' } } });
const pets: Pet[] = data ?? [];
const code: ErrorCode = 'pet_not_found';
// @ts-expect-error: the contract has no such status
void store.GET('/pets', { params: { query: { status: 'lost' } } });
const { info }: { info: { version: string } } = JSON.parse(contractJson);
console.log(JSON.stringify({ pets, code, contractVersion, version: info.version, path: operations.listPets.path }));
`;

let copy: ReturnType<typeof copyWorkspace>;
let project = '';

beforeAll(async () => {
  copy = copyWorkspace();
  project = mkdtempSync(join(tmpdir(), 'animal-store-user-'));
  const packed = packCopy(copy.folder, ['contract', 'client']);
  await installTarballs([...packed, ...(await packDependencies(project))], project);
  writeFileSync(join(project, 'user.ts'), userCode);
}, 120_000);

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
  copy?.remove();
});

describe.each([
  ['the TypeScript that generates types', join(root, 'scripts/node_modules/typescript/bin/tsc')],
  ['the TypeScript that checks the project', join(root, 'node_modules/typescript/bin/tsc')],
])('the packed packages with %s', (_name, compiler) => {
  test('give a user their types', () => {
    // The packages are checked whole, but not the compiler's own library.
    const language = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext'];
    const options = [...language, '--skipDefaultLibCheck'];
    const { stdout, status } = run(process.execPath, [compiler, ...options, 'user.ts'], project);
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});

describe.each([20, 22, 24, 26])('the packed packages on Node %i', (major) => {
  const node = findNode(major);
  if (node === undefined) leaveOutNode('the packages', major);
  const onNode = node === undefined ? test.skip : test;

  onNode('can be imported and do what they do', () => {
    const { stdout, stderr } = run(node ?? '', ['user.js'], project);
    expect({ stderr, ...JSON.parse(stdout || '{}') }).toEqual({
      stderr: '',
      pets: [{ id: 1, name: 'http://store.example/v1/pets?status=sold', categoryId: 3 }],
      code: 'pet_not_found',
      contractVersion,
      version: contractVersion,
      path: '/pets',
    });
  });
});

test('the packed packages bring no source, no test and no link to the workspace', () => {
  const installed = ['contract', 'client'].map((name) => join(project, 'node_modules/@animal-store', name));
  const files = installed.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  expect(files.filter((file) => /(^|\/)src|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'package.json', 'dist/generated/openapi.json']));
});

test.each(['contract', 'client'])('pnpm would publish %s', (name) => {
  const manifest = JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8'));
  const pnpm = ['--yes', `pnpm@${manifest.config.pnpm}`, 'publish', '--dry-run', '--no-git-checks'];
  // Nothing listens there: should the dry run ever be none, it reaches nobody.
  const nowhere = ['--registry', 'http://127.0.0.1:9'];
  const { status, stdout, stderr } = run('npx', [...pnpm, ...nowhere], join(copy.folder, 'packages', name));
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: expect.stringContaining('(dry run)') });
});

function run(command: string, parameters: string[], cwd: string) {
  return spawnSync(command, parameters, { cwd, encoding: 'utf8' });
}
