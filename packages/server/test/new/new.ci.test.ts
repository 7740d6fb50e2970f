import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseDocument } from 'yaml';
import { installedCheckout } from '../../../tooling/test/checkout.ts';
import { newPaths } from './new-paths.ts';

const copy = installedCheckout();
const operations = 'packages/server/src/operations';
const before = read(`${operations}/index.ts`);

beforeAll(() => {
  const contract = parseDocument(read('openapi.yaml'));
  for (const [path, item] of Object.entries(newPaths)) contract.setIn(['paths', path], item);
  writeFileSync(join(copy.folder, 'openapi.yaml'), contract.toString());
});

afterAll(() => copy.remove());

function read(file: string): string {
  return readFileSync(join(copy.folder, file), 'utf8');
}

function run(...parameters: string[]): { exitCode: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: copy.folder, encoding: 'utf8' });
  return { exitCode: status, output: stdout + stderr };
}

test('without arguments it lists the operations without a file, and the command that adds it', () => {
  const { exitCode, output } = run('packages/tooling/src/commands/new.ts');
  expect(exitCode).toBe(0);
  expect(output).toMatch(/\n {2}listKennels {2,}GET \/kennels {2}List kennels\n/);
  expect(output).not.toContain('createPet ');
  expect(output).toContain('npm run new -- operation listKennels');
});

test.each([
  [['operation', 'feedPet'], 'openapi.yaml has no operation "feedPet". To list those without a file, run: npm run new'],
  [
    ['operation', 'createPet'],
    `These files already exist: ${operations}/createPet.ts, ${operations}/createPet.test.ts. Nothing was`,
  ],
  [['operation'], 'These arguments are not among the following: operation\n\nnpm run new '],
  [['migration', '../kennels'], '"../kennels" is not a valid name for a migration'],
])('%j is refused, and nothing is written', (parameters, says) => {
  const { exitCode, output } = run('packages/tooling/src/commands/new.ts', ...parameters);
  expect({ exitCode, output }).toEqual({ exitCode: 1, output: expect.stringContaining(says) });
  expect(read(`${operations}/index.ts`)).toBe(before);
});

describe('new operations of every kind', () => {
  const ids = ['listKennels', 'putKennel', 'removeKennel', 'putPhoto', 'changePhoto', 'exportKennels', 'ping'];
  let outcome: ReturnType<typeof run>;

  beforeAll(() => {
    outcome = run('packages/tooling/src/commands/new.ts', 'operation', ...ids);
  });

  test('are written, and registered in the order of the contract', () => {
    expect(outcome).toEqual({
      exitCode: 0,
      output: expect.stringContaining('wrote packages/contract/src/generated/openapi.ts'),
    });
    const registered = before.replace(',\n};', `,\n  ${ids.join(',\n  ')},\n};`);
    const withoutImports = (text: string) => text.slice(text.indexOf('/**'));
    expect(withoutImports(read(`${operations}/index.ts`))).toBe(withoutImports(registered));
  });

  test('compile but for the rows of a list, and pass Biome', () => {
    // Other packages lack the operations that only the contract of this test has.
    const configuration = { extends: './tsconfig.json', include: ['packages/server/src', 'packages/server/test'] };
    writeFileSync(join(copy.folder, 'tsconfig.server.json'), JSON.stringify(configuration));
    run('scripts/fixtures.mjs');
    const { output } = run('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.server.json');
    expect(output.split('\n').filter((line) => line.startsWith('packages/server/'))).toEqual([
      expect.stringMatching(/skewed-rows\.ts.* 'listKennels' is missing in type/),
    ]);
    const files = ids.flatMap((id) => [`${operations}/${id}.ts`, `${operations}/${id}.test.ts`]);
    const biome = run('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...files);
    expect(biome).toMatchObject({ exitCode: 0 });
  });

  test('have tests that fail until the operations are written, and pass if the contract alone determines the response', () => {
    const results = runTests(ids);
    const change = 'change this request or the stored data until the response is';
    expect(results.get('listKennels.test.ts')).toEqual({
      failed: ['200 returns the status of the contract'],
      passed: expect.arrayContaining(['400 an unknown parameter is rejected']),
      reason: expect.stringContaining('listKennels is not written yet'),
    });
    expect(results.get('putKennel.test.ts')).toMatchObject({
      failed: expect.arrayContaining([
        '200 returns the status of the contract',
        '404 pet_not_found: No animal has the ID 42.',
        `409 ${change} pet_not_available: It is "sold", 100 %.`,
        expect.stringContaining('Idempotency-Key: the first response again'),
      ]),
      passed: expect.arrayContaining(['400 an unknown parameter is rejected', expect.stringContaining('415')]),
    });
    expect(results.get('ping.test.ts')).toMatchObject({
      failed: ['200 returns the status of the contract', `304 ${change} status 304`],
      passed: expect.arrayContaining([
        expect.stringContaining('429 over the limit of the address'),
        expect.stringContaining('503 when the storage does not answer'),
      ]),
    });
    expect(results.get('exportKennels.test.ts')?.passed).toContainEqual(expect.stringContaining('406'));
    expect(results.get('changePhoto.test.ts')?.passed).toContainEqual(
      expect.stringContaining('403 for a key with the scope read'),
    );
    expect(results.get('putPhoto.test.ts')).toMatchObject({
      // The operation reads the stream itself.
      failed: ['204 returns the status of the contract', expect.stringContaining('408')],
      passed: expect.arrayContaining(['413', '415'].map((status) => expect.stringContaining(status))),
    });
  });
});

test('a migration has the next number in both engines, and does not run before it is written', () => {
  const { exitCode, output } = run('packages/tooling/src/commands/new.ts', 'migration', 'kennels');
  expect(exitCode).toBe(0);
  const [, number = ''] = /sqlite\/(\d{4})-kennels\.sql/.exec(output) ?? [];
  const folder = join(copy.folder, operations, 'storage/migrations');
  for (const engine of ['sqlite', 'postgres']) {
    expect(readdirSync(join(folder, engine)).sort().at(-1)).toBe(`${number}-kennels.sql`);
  }
  expect(() => {
    using database = new DatabaseSync(':memory:');
    database.exec(readFileSync(join(folder, `sqlite/${number}-kennels.sql`), 'utf8'));
  }).toThrow('syntax error');
  for (const engine of ['sqlite', 'postgres']) rmSync(join(folder, engine, `${number}-kennels.sql`));
});

type Results = {
  testResults: { name: string; message: string; assertionResults: { fullName: string; status: string }[] }[];
};

function runTests(ids: string[]) {
  const files = ids.map((id) => `operations/${id}.test`);
  const result = join(copy.folder, 'result.json');
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  // The tests of their own statuses, and two common ones. The others take long and are tested elsewhere.
  const names = ['-t', '^[234]\\d\\d |40[368]|41[35]|429 over the limit of the address|503|Idempotency-Key: the first'];
  run(...options, 'node_modules/jest/bin/jest.js', '--json', `--outputFile=${result}`, ...names, ...files);
  const { testResults }: Results = JSON.parse(readFileSync(result, 'utf8'));
  return new Map(
    testResults.map(({ name, message, assertionResults }) => {
      const names = (status: string) =>
        assertionResults.filter((one) => one.status === status).map(({ fullName }) => fullName);
      return [name.split('/').at(-1), { failed: names('failed'), passed: names('passed'), reason: message }];
    }),
  );
}
