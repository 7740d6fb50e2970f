import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { booksContract } from '../../test/books-fixture.ts';
import { plainTypes } from '../../test/plain-types.ts';
import { secondContract } from '../../test/second-contract-fixture.ts';
import { contractDocument } from '../contract/generated.ts';
import { root } from '../project.ts';
import { withBetaTags } from './files.ts';
import { openapiTypescript } from './openapi-typescript.ts';

const filesContract = (): object => JSON.parse(readFileSync(join(root, 'packages/tooling/test/files.json'), 'utf8'));

/** Types without comments: editors show them, compilers ignore them. */
const bare = (types: string) => types.replaceAll(/ *\/\*\*[\s\S]*?\*\/\n?/g, '');

const schemasOf = (types: string) => /^ {4}schemas: [\s\S]*?^ {4}\};/m.exec(bare(types))?.[0];

describe('both generators write the same types', () => {
  test.each([
    ['books', booksContract],
    ['files, with bodies that are not JSON', filesContract],
    ['notes, with streams, discriminators and webhooks', secondContract],
  ])('for the contract of %s', async (_, contract) => {
    const types = bare(plainTypes(contract()));
    expect(types).toContain('export interface operations {');
    expect(types).toBe(bare(await openapiTypescript(contract())));
  });

  test('with the same comments for this project, so that the generator can be replaced in one line', async () => {
    const contract = withBetaTags(contractDocument());
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
