import { describe, expect, test } from '@jest/globals';
import { museumContract } from '../../test/museum-fixture.ts';
import type { ContractDocument } from '../contract/document.ts';
import { shownServerOf } from '../docs/samples/request.ts';
import { absoluteServers, generateConstants } from './constants.ts';

function constantOf(document: ContractDocument, name: string): unknown {
  const [, value = ''] =
    new RegExp(`export const ${name} = ([\\s\\S]*?) as const;`).exec(generateConstants(document)) ?? [];
  return JSON.parse(value);
}

const basePathOf = (...serverUrls: string[]) => constantOf(museumContract({ serverUrls }), 'basePath');

describe('the base path is the path of the servers', () => {
  test.each([
    ['https://api.museum.example', ''],
    ['https://api.museum.example/', ''],
    ['https://api.museum.example/v1', '/v1'],
    ['https://api.museum.example/museum/v2/', '/museum/v2'],
    ['/v2', '/v2'],
    ['/', ''],
  ])('%s: %j', (url, basePath) => {
    expect(basePathOf(url)).toBe(basePath);
  });

  test('with the defaults of their variables', () => {
    const document = museumContract({ serverUrls: ['https://{region}.museum.example/{version}'] });
    const variables = { region: { default: 'eu' }, version: { default: 'v3' } };
    Object.assign(document.servers[0] ?? {}, { variables });
    expect(constantOf(document, 'basePath')).toBe('/v3');
    expect(constantOf(document, 'servers')).toEqual({
      live: 'https://eu.museum.example/v3',
      test: 'https://eu.museum.example/v3',
    });
  });
});

test('documentation has absolute URLs without a slash at their end', () => {
  const document = museumContract({ serverUrls: ['https://api.museum.example/', '/'] });
  expect(absoluteServers(document).map(({ url }) => url)).toEqual([
    'https://api.museum.example',
    'http://127.0.0.1:3000',
  ]);
  expect(shownServerOf(document)).toBe('https://this-server.invalid');
  expect(shownServerOf(museumContract({ serverUrls: ['/museum/v2'] }))).toBe('https://this-server.invalid/museum/v2');
});

test('the codes of an error response may be in a single example', () => {
  expect(constantOf(museumContract(), 'operations')).toMatchObject({
    getRoom: { errorCodes: { 400: ['invalid_request'], 401: ['api_key_missing'] } },
  });
});

test.each<[what: string, schema: object, signs: object, type?: string]>([
  ['required properties', { allOf: [{ required: ['error'] }, { properties: { id: {} } }] }, { required: ['error'] }],
  ['optional properties', { type: ['object', 'null'], properties: { error: {} } }, { properties: ['error'] }],
  ['any properties', { type: 'object' }, { types: ['object'] }],
  ['several types', { type: ['object', 'integer'], required: ['error'] }, { types: ['object', 'number'] }],
  ['any JSON', {}, {}],
  ['no JSON', { type: 'object', required: ['error'] }, { kind: 'binary' }, 'application/xml'],
])(
  'the client knows an error in a form of the contract by its signs: %s',
  (_, schema, signs, type = 'application/json') => {
    const document = museumContract();
    const { get } = Object(document.paths['/rooms/{roomId}']);
    get.responses['404'] = { description: 'Gone', content: { [type]: { schema } } };
    const { errors } = Object(constantOf(document, 'operations')).getRoom;
    expect(errors['404'].mediaTypes).toEqual({ [type]: { kind: 'json', stream: false, ...signs } });
  },
);
