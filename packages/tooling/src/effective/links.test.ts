import { expect, test } from '@jest/globals';
import { dig } from '../common/json.ts';
import { without } from '../contract/parse.ts';
import type { JsonObject } from './draft.ts';
import { effectiveContract } from './effective.ts';

const id = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const given: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Docks', version: '1' },
  paths: {
    '/docks/{dock-id}': {
      get: {
        operationId: 'get-dock',
        parameters: [id('dock-id')],
        responses: {
          200: {
            description: 'The dock.',
            links: {
              berths: { $ref: '#/components/links/Berths' },
              again: {
                operationRef: '#/paths/~1docks~1%7Bdock-id%7D/get',
                parameters: { 'path.dock-id': '$request.path.dock-id' },
              },
              elsewhere: { operationRef: 'https://other.example/openapi.json#/paths/~1a/get' },
            },
          },
        },
      },
    },
    '/docks/{dock}/berths': {
      get: {
        operationId: 'list-berths',
        parameters: [id('dock'), { name: 'dock-side', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'The berths.' } },
      },
    },
  },
  components: {
    links: {
      Berths: {
        operationId: 'list-berths',
        parameters: { dock: '$request.path.dock-id', 'dock-side': '$response.body#/side' },
      },
    },
  },
};

test('links have the names that operations and path parameters have in the effective contract', () => {
  const { document } = effectiveContract(given, 'docks');
  const linksIn = (contract: object) => dig(contract, 'paths', '/docks/{dockId}', 'get', 'responses', '200', 'links');
  expect(linksIn(document)).toEqual({
    berths: {
      operationId: 'listBerths',
      parameters: { dockId: '$request.path.dockId', 'dock-side': '$response.body#/side' },
    },
    again: { operationId: 'getDock', parameters: { 'path.dockId': '$request.path.dockId' } },
    elsewhere: { operationRef: 'https://other.example/openapi.json#/paths/~1a/get' },
  });
  const fewer = without(document, ['GET /docks/{dockId}/berths']);
  expect(Object.keys(Object(linksIn(fewer)))).toEqual(['again', 'elsewhere']);
});
