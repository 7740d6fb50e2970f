import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../project.ts';
import { secondContract } from '../testing/second-contract.ts';
import { copyWorkspace } from '../testing/workspace-copy.ts';
import { openapiTypescript } from './openapi-typescript.ts';
import { plainTypes } from './plain-types.ts';

const read = (file: string): object => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Types without comments: editors show them, compilers ignore them. */
const bare = (types: string) => types.replaceAll(/ *\/\*\*[\s\S]*?\*\/\n?/g, '');

const schemasOf = (types: string) => /^ {4}schemas: [\s\S]*?^ {4}\};/m.exec(bare(types))?.[0];

describe('both generators write the same types', () => {
  test.each([
    ['this project', () => read('packages/contract/src/generated/openapi.json')],
    ['files, with bodies that are not JSON', () => read('packages/client-core/test/fixture/openapi.json')],
    ['notes, with streams, discriminators and webhooks', secondContract],
  ])('for the contract of %s', async (_, contract) => {
    const types = bare(plainTypes(contract()));
    expect(types).toContain('export interface operations {');
    expect(types).toBe(bare(await openapiTypescript(contract())));
  });

  test('with the same comments for this project', async () => {
    const contract = read('packages/contract/src/generated/openapi.json');
    expect(plainTypes(contract)).toBe(await openapiTypescript(contract));
  });

  test.each([
    ['a dictionary', { type: 'object', additionalProperties: { type: 'integer' } }],
    ['an open object', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }],
    ['an empty object', { type: 'object', additionalProperties: false }],
    ['a constant', { type: 'string', const: 'a' }],
    ['a list of alternatives', { type: 'array', items: { type: ['string', 'null'] } }],
    ['a combination', { allOf: [{ type: 'object', properties: { a: { type: 'number' } } }, { type: 'object' }] }],
    ['alternatives', { anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }] }],
    ['a property with a default', { type: 'object', properties: { a: { type: 'integer', default: 3 } } }],
  ])('for %s', async (_, schema) => {
    const contract = { openapi: '3.1.0', info: {}, paths: {}, components: { schemas: { It: schema } } };
    const types = schemasOf(plainTypes(contract));
    expect(types).toContain('It: ');
    expect(types).toBe(schemasOf(await openapiTypescript(contract)));
  });
});

test('a schema without a TypeScript type is refused by name', () => {
  const contract = { paths: {}, components: { schemas: { It: { not: { type: 'string' } } } } };
  expect(() => plainTypes(contract)).toThrow('a schema for which no type can be written: {"not":{"type":"string"}}');
});

describe('with the other generator', () => {
  let copy: ReturnType<typeof copyWorkspace>;
  beforeAll(() => {
    copy = copyWorkspace();
  });
  afterAll(() => copy.remove());

  test('the whole workspace compiles after a change of one line', () => {
    const file = join(copy.folder, 'packages/tooling/src/generate/files.ts');
    const before = readFileSync(file, 'utf8');
    const line = "import { openapiTypescript as generateTypes } from './openapi-typescript.ts';";
    expect(before).toContain(line);
    writeFileSync(file, before.replace(line, "import { plainTypes as generateTypes } from './plain-types.ts';"));
    const types = join(copy.folder, 'packages/contract/src/generated/openapi.ts');
    writeFileSync(types, '');
    const run = (...command: string[]) => execFileSync(process.execPath, command, { cwd: copy.folder, stdio: 'pipe' });
    run('packages/tooling/src/commands/generate.ts');
    expect(readFileSync(types, 'utf8')).toContain('export interface paths {');
    run('node_modules/typescript/bin/tsc', '--noEmit');
  });
});
