import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

const root = join(import.meta.dirname, '../../..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

const names = ['openapi.json', 'schema-object.json', 'extensions.json'];
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
addFormats.default(ajv);
for (const name of names) ajv.addSchema(read(`schemas/${name}`), name);

/** The errors that an editor would show in the contract, with their places. */
function schemaErrors(contract: object): string[] {
  ajv.validate('openapi.json', contract);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('openapi.yaml is valid against the schema for editors', () => {
  expect(schemaErrors(JSON.parse(contractJson))).toEqual([]);
});

describe('the schema finds a mistake in', () => {
  test.each([
    ['/paths/~1pets/get', { 'x-stability': 'alpha' }, '/x-stability must be equal to one of the allowed values'],
    ['/paths/~1pets/get', { 'x-stabilty': 'beta' }, ' must NOT have additional properties'],
    ['/paths/~1pets/get', { 'x-deprecation': { since: 'today' } }, '/x-deprecation/since must match pattern'],
    ['/paths/~1pets/get', { parameters: [{ $ref: '#/components/schemas/Pet' }] }, '/parameters/0/$ref must match'],
    [
      '/paths/~1pets/get',
      { parameters: [{ name: 'x', in: 'path' }] },
      "/parameters/0 must have required property 'required'",
    ],
    ['/components/schemas/PetName', { 'x-pattern-says': 7 }, '/x-pattern-says must be string'],
    ['/components/schemas/PetName', { minLenght: 1 }, ' must NOT have additional properties'],
    [
      '/components/schemas/NewPet/properties/name',
      { type: 'text' },
      '/type must be equal to one of the allowed values',
    ],
    ['/components/schemas/ErrorCode/x-codes/internal_error', { status: 200 }, '/status must be >= 400'],
    ['/x-rate-limits/plans/free', { perMinute: 0 }, '/perMinute must be >= 1'],
    ['/x-limits', { bodyBytes: '64k' }, '/bodyBytes must be integer'],
    [
      '/paths/~1pets/get',
      { security: [{ apiKey: ['admin'] }] },
      '/security must be equal to one of the allowed values',
    ],
    ['/components/securitySchemes/apiKey/x-scopes', { admin: 'All.' }, ' must NOT have additional properties'],
    ['/components/parameters/Limit', { in: 'cookie' }, '/in must be equal to one of the allowed values'],
    ['/paths/~1pets/get/responses/200/content/application~1json', { 'x-stream': false }, '/x-stream must be equal'],
    ['/paths/~1pets/post/requestBody/content/application~1json', { 'x-max-bytes': 0 }, '/x-max-bytes must be >= 1'],
  ])('%s: %j', (place, mistake, error) => {
    const contract = JSON.parse(contractJson);
    const keys = place
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/'));
    Object.assign(
      keys.reduce((node, key) => node[key], contract),
      mistake,
    );
    expect(schemaErrors(contract)).toContainEqual(expect.stringContaining(`${place}${error}`));
  });
});
