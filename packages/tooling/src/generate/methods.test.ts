import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ContractDocument } from '../contract/document.ts';
import { editedContract } from '../contract/edits.ts';
import { root } from '../project.ts';
import { generateMethods } from './methods.ts';

const json = readFileSync(join(root, 'packages/contract/src/generated/openapi.json'), 'utf8');
const document: ContractDocument = JSON.parse(json);
const files = generateMethods(document);
const operations = files['operations.ts'] ?? '';

/** The comment above a line of the generated functions. */
function commentOn(start: string): string {
  return operations.split(start)[0]?.split('/**').at(-1) ?? '';
}

describe('a function has in its comment', () => {
  test('the description of the operation and its parameters in the contract', () => {
    const comment = commentOn('export function listPets(');
    expect(comment).toContain(' * List animals\n *\n * Returns one page of animals');
    expect(comment).toContain(' * `GET /pets`');
    expect(comment).toContain(' * @param params.status Return only animals with this status.');
    expect(commentOn('export function createPet(')).toContain(' * @param params.body The animal to add.');
    expect(comment).not.toMatch(/@beta|@deprecated/);
  });

  test('its replacement and its last day if it is deprecated, and @beta if it is beta', () => {
    const deprecated = '@deprecated Will be removed on 5 December 2030. Use `store.pets.list` (`listPets`) instead.';
    expect(commentOn('export function getPet(')).toContain(deprecated);
    expect(commentOn('    get(params: GetPetParams')).toContain(deprecated);
    expect(files['queries.ts']).toContain(deprecated);
    expect(commentOn('export function betaListOrders(')).toContain('@beta');
  });
});

test('a comment in the contract cannot end the one in the code', () => {
  const edited = editedContract(document, [{ at: '#/paths/~1pets/get/summary', value: 'List */ animals' }]);
  expect(generateMethods(Object(edited))['operations.ts']).toContain('List *\\/ animals');
});

test('the root entry exports each schema by its name, and shadows no globals', () => {
  const schemas = files['schemas.ts'] ?? '';
  expect(schemas).toContain('  Pet,\n');
  expect(schemas).toContain('  Error as ErrorBody,\n');
});
