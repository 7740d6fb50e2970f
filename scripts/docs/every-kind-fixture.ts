import type { ReferenceContract } from './reader-document.ts';

/** Operations of the kinds that our contract lacks, and a webhook: for tests of the docs. */

const petId = { $ref: '#/components/parameters/PetId' };
const gone = { '204': { description: 'Done.' } };
const profile = {
  description: 'The profile.',
  content: { 'application/json': json({ $ref: '#/components/schemas/Pet' }) },
};
const write = [{ apiKey: ['write'] }];

function json(schema: object) {
  return { schema, example: { id: 1, name: "Rex's", categoryId: 3 } };
}

function stream(mediaType: string, schema: object, example: unknown) {
  return { '200': { description: 'A stream.', content: { [mediaType]: { 'x-stream': true, schema, example } } } };
}

function operation(operationId: string, summary: string, parts: object) {
  return { operationId, tags: ['Pets'], summary, description: `${summary}.`, ...parts };
}

const paths = {
  '/profiles/{petId}': {
    patch: operation('patchProfile', 'Change a profile', {
      security: write,
      parameters: [
        petId,
        {
          name: 'If-Match',
          in: 'header',
          description: 'The ETag of the version to change.',
          schema: { type: 'string' },
          example: '"abc"',
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/merge-patch+json': {
            schema: { type: 'object' },
            example: { name: 'Mia', tags: ['old', true, null], status: null },
          },
        },
      },
      responses: { '200': profile, '428': { description: 'If-Match is missing.' } },
    }),
    delete: operation('deleteProfile', 'Delete a profile', { security: write, parameters: [petId], responses: gone }),
  },
  '/profiles/{petId}/photo': {
    put: operation('putPhoto', 'Replace a photo', {
      security: write,
      parameters: [petId],
      requestBody: { required: true, content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
      responses: gone,
    }),
    get: operation('getPhoto', 'Get a photo', {
      parameters: [petId],
      responses: { '200': { description: 'The photo.', content: { 'image/png': {} } } },
    }),
  },
  '/notes': {
    post: operation('createNote', 'Add a note', {
      security: write,
      requestBody: {
        required: true,
        content: { 'text/plain': { schema: { type: 'string' }, example: 'It\'s "Käthe"\nand 2 more' } },
      },
      responses: {
        '201': {
          description: 'The note.',
          content: { 'text/plain': { schema: { type: 'string' }, example: 'Käthe 1' } },
        },
      },
    }),
  },
  '/exports/pets.csv': {
    get: operation('exportPets', 'Export as CSV', {
      responses: stream('text/csv', { type: 'string' }, 'id,name\n1,Käthe\n2,Mia\n'),
    }),
  },
  '/exports/pets.ndjson': {
    get: operation('streamPets', 'Export as lines of JSON', {
      responses: stream('application/x-ndjson', { type: 'object' }, { id: 1, name: 'Käthe' }),
    }),
  },
  '/changes': {
    get: operation('watchChanges', 'Watch changes', {
      responses: stream('text/event-stream', { type: 'object' }, { id: 1, name: 'Käthe' }),
    }),
  },
  '/shops': {
    get: operation('findShops', 'Find shops', {
      security: [],
      parameters: [
        {
          name: 'id',
          in: 'query',
          description: 'Which ones.',
          schema: { type: 'array', items: { type: 'integer' } },
          example: [1, 2],
        },
        {
          name: 'X-Region',
          in: 'header',
          required: true,
          description: 'Where to look.',
          schema: { type: 'string' },
          example: 'north west',
        },
      ],
      responses: {
        '200': {
          description: 'Shops.',
          content: {
            'application/json': { schema: { type: 'object' }, example: { open: true, closed: null } },
            'text/csv': {},
          },
        },
      },
    }),
  },
};

const webhooks = {
  petSold: {
    post: operation('petSold', 'An animal was sold', {
      requestBody: {
        required: true,
        description: 'The order.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
      },
      responses: { '204': { description: 'Received.' } },
    }),
  },
};

/** The contract with nothing but these operations, and the webhook. */
export function everyKind(contract: ReferenceContract, server: string): ReferenceContract {
  const servers = [{ url: server, description: 'Production' }];
  return { ...contract, ...JSON.parse(JSON.stringify({ servers, paths, webhooks })) };
}
