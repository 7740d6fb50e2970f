/** Makes a resource in a copy of the project, as CONTRIBUTING says, and writes its operations. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { installedCheckout } from '../../../tooling/test/checkout.ts';

const copy = installedCheckout();
afterAll(() => copy.remove());

const folder = join(copy.folder, 'packages/server/src/operations');
const notFound = "new ApiError('category_not_found', 'No category has this ID.')";

/** The code of each operation, below its signature. */
const bodies: Record<string, string> = {
  listCategories: `
    const after = readCursor('listCategories', query.cursor);
    const found = await storage.listCategories({ limit: oneMoreThan(query.limit), after });
    const next = (cursor: string) => urlOf('listCategories', { query: { ...query, cursor } });
    return { status: 200, ...cutPage('listCategories', found, query.limit, next) };`,
  createCategory: `
    const body = await storage.addCategory(given);
    return { status: 201, body, headers: { Location: urlOf('getCategory', { path: { categoryId: body.id } }) } };`,
  getCategory: `
    const found = await storage.findCategory(path.categoryId);
    return found === undefined ? ${notFound} : { status: 200, body: found };`,
  updateCategory: `
    const found = await storage.findCategory(path.categoryId);
    if (found === undefined) return ${notFound};
    const refusal = checkIfMatch(header['If-Match'], found);
    if (refusal !== undefined) return refusal;
    const body = { ...found, ...given };
    await storage.replaceCategory(body);
    return { status: 200, body };`,
  deleteCategory: `
    const found = await storage.findCategory(path.categoryId);
    if (found === undefined) return ${notFound};
    const refusal = checkIfMatch(header['If-Match'], found);
    if (refusal !== undefined) return refusal;
    await storage.deleteCategory(found.id);
    return { status: 204 };`,
};

function operationFile(id: string, body: string): string {
  const inputs = ['path', 'query', 'header', 'storage', 'urlOf'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body),
  );
  return `${body.includes('checkIfMatch') ? "import { checkIfMatch } from '@contract-first/service';\n" : ''}
import { ${body.includes('ApiError') ? 'ApiError, ' : ''}type Call, type Result } from './operation.ts';
${body.includes('cutPage') ? "import { cutPage, oneMoreThan, readCursor } from './paging.ts';\n" : ''}
export async function ${id}(call: Call<'${id}'>): Promise<Result<'${id}'>> {
  const { ${inputs.join(', ')}${body.includes('given') ? ', body: given' : ''} } = call;
${body}
}
`;
}

function run(...parameters: string[]): { exitCode: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: copy.folder, encoding: 'utf8' });
  return { exitCode: status, output: stdout + stderr };
}

function jest(...parameters: string[]) {
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return run(...options, 'node_modules/jest/bin/jest.js', ...parameters);
}

const command = ['packages/tooling/src/commands/new.ts', 'resource'];

test.each([
  [['tree-house'], '"tree-house" is not a valid name for a resource'],
  [['1st'], '"1st" is not a valid name for a resource'],
  [['class'], '"class" is not a valid name for a resource'],
  [[], '"" is not a valid name for a resource'],
  [['sheep', 'sheep'], 'The plural must be another word'],
  [['pet'], 'packages/server/src/operations/createPet.ts, '],
])('%j is refused, and nothing is written', (names, says) => {
  const before = readFileSync(join(copy.folder, 'openapi.yaml'), 'utf8');
  expect(run(...command, ...names)).toEqual({ exitCode: 1, output: expect.stringContaining(says) });
  expect(readFileSync(join(copy.folder, 'openapi.yaml'), 'utf8')).toBe(before);
});

test('a new resource compiles, and its tests fail until its operations are written', () => {
  const contract = readFileSync(join(copy.folder, 'openapi.yaml'), 'utf8');
  const made = run(...command, 'category');
  expect(made).toEqual({
    exitCode: 0,
    output: expect.stringContaining('wrote packages/server/src/operations/listCat'),
  });
  const lines =
    readFileSync(join(copy.folder, 'openapi.yaml'), 'utf8').split('\n').length - contract.split('\n').length;
  expect(lines).toBeLessThanOrEqual(150);
  run('scripts/fixtures.mjs');
  expect(run('node_modules/typescript/bin/tsc', '--noEmit')).toEqual({ exitCode: 0, output: '' });
  expect(run('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')).toMatchObject({
    exitCode: 0,
  });
  expect(run('packages/tooling/src/commands/lint.ts')).toMatchObject({ exitCode: 0 });
  expect(jest('operations/getCategory')).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('✕ returns the category'),
  });
});

test('its operations are all that is left to write: every test of the table passes on both engines', () => {
  for (const [id, body] of Object.entries(bodies)) writeFileSync(join(folder, `${id}.ts`), operationFile(id, body));
  expect(run('packages/server/test/check-storage.ts')).toEqual({ exitCode: 0, output: '' });
  const tests = [
    'operations/.*Categor',
    'store.test',
    'storage/.*plans',
    'listings.ci',
    'move.ci',
    'operations-on-postgres',
  ];
  const names = ['-t', 'ategor|tables of|statements use|killed in the middle|cover each'];
  expect(jest(...names, ...tests)).toEqual({ exitCode: 0, output: expect.stringMatching(/Test Suites: .* passed/) });
  expect(jest('-t', 'every operation|PostgreSQL', 'model.ci')).toMatchObject({ exitCode: 0 });
});
