/** Paths with every kind of operation that the contract may have. None of the operations has a file. */

const common = {
  '401': { $ref: '#/components/responses/Unauthorized' },
  '429': { $ref: '#/components/responses/TooManyRequests' },
};
const { '401': _, ...publicly } = common;
const badRequest = { '400': { $ref: '#/components/responses/BadRequest' } };

const withPet = {
  description: 'A kennel.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Pet' },
      example: { id: 1, name: 'Rex', categoryId: 3 },
    },
  },
};

const conflict = {
  description: 'It is taken.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: {
        running: { value: { code: 'idempotency_key_in_use', message: 'Still running.', status: 409 } },
        taken: { value: { code: 'pet_not_available', message: 'It is "sold", 100 %.', status: 409 } },
      },
    },
  },
};

const notAcceptable = {
  description: 'No media type of this operation is accepted.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: { none: { value: { code: 'not_acceptable', message: 'It has text/csv.', status: 406 } } },
    },
  },
};

export const newPaths = {
  '/kennels': {
    get: {
      operationId: 'listKennels',
      tags: ['Pets'],
      summary: 'List kennels',
      parameters: [
        { $ref: '#/components/parameters/Limit' },
        { name: 'open', in: 'query', schema: { type: 'boolean' } },
        {
          name: 'city',
          in: 'query',
          required: true,
          schema: { type: 'string' },
          examples: { rome: { value: 'Rome' } },
        },
      ],
      responses: { '200': withPet, ...badRequest, ...common },
    },
  },
  '/kennels/{kennelId}/places/{place}': {
    parameters: [
      { name: 'kennelId', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
      { name: 'place', in: 'path', required: true, schema: { type: 'string' }, example: 'left' },
    ],
    put: {
      operationId: 'putKennel',
      tags: ['Pets'],
      summary: 'Put a kennel',
      parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/NewOrder' }, example: { petId: 7 } } },
      },
      responses: {
        '200': withPet,
        ...badRequest,
        ...common,
        '404': { $ref: '#/components/responses/PetNotFound' },
        '409': conflict,
      },
    },
    delete: {
      operationId: 'removeKennel',
      tags: ['Pets'],
      summary: 'Remove a kennel.',
      deprecated: true,
      'x-deprecation': {
        since: '2026-11-20T00:00:00Z',
        sunset: '2031-01-01T00:00:00Z',
        successor: 'listPets',
        documentation: '/docs',
      },
      responses: {
        '204': { description: 'It is gone.' },
        ...badRequest,
        ...common,
        '410': { $ref: '#/components/responses/OperationRemoved' },
      },
    },
  },
  '/kennels/{kennelId}/photo': {
    parameters: [{ name: 'kennelId', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
    put: {
      operationId: 'putPhoto',
      tags: ['Pets'],
      summary: 'Put the photo of a kennel',
      security: [{ apiKey: ['write'] }],
      parameters: [{ name: 'Photo-Width', in: 'header', required: true, schema: { type: 'integer' }, example: 640 }],
      requestBody: { required: true, content: { 'image/png': { 'x-max-bytes': 1_000, 'x-stream': true } } },
      responses: {
        '204': { description: 'The photo is stored.' },
        ...badRequest,
        ...common,
      },
    },
    patch: {
      operationId: 'changePhoto',
      tags: ['Pets'],
      summary: 'Change what is known of a photo',
      security: [{ apiKey: ['write'] }],
      parameters: [{ $ref: '#/components/parameters/IfMatch' }],
      requestBody: {
        required: true,
        content: {
          'application/merge-patch+json': { schema: { $ref: '#/components/schemas/NewOrder' }, example: { petId: 7 } },
        },
      },
      responses: {
        '200': withPet,
        ...badRequest,
        ...common,
      },
    },
  },
  '/kennels/export': {
    get: {
      operationId: 'exportKennels',
      tags: ['Pets'],
      summary: 'Export all kennels',
      responses: {
        '200': {
          description: 'All kennels.',
          content: { 'text/csv': { schema: { type: 'string' }, 'x-stream': true } },
        },
        ...common,
        '406': notAcceptable,
      },
    },
  },
  '/ping': {
    get: {
      operationId: 'ping',
      tags: ['Kennels'],
      summary: 'Ping',
      security: [],
      parameters: [{ $ref: '#/components/parameters/IfNoneMatch' }],
      responses: {
        ...publicly,
        '200': { ...withPet, headers: { ETag: { $ref: '#/components/headers/ETag' } } },
      },
    },
  },
};
