import { parse } from 'yaml';
import type { ContractDocument } from '../src/contract/document.ts';
import { booksYaml } from './books-fixture.ts';

/**
 * A contract of another API, which keeps field notes. It uses features that the project's contract may not use:
 * bodies of several media types, streams, public operations, header parameters, discriminators and webhooks. Components
 * that have nothing to do with its resources are those of books.yaml.
 */
export function secondContract(): ContractDocument {
  const books: ContractDocument = parse(
    booksYaml
      .replaceAll('Book Library', 'Field Notes')
      .replaceAll('book-library', 'field-notes')
      .replaceAll('bl_', 'fn_'),
  );
  const { components } = books;
  const contract = {
    ...books,
    info: {
      ...books.info,
      version: '1.0.0',
      summary: 'Notes, with JSON over HTTPS.',
      description: 'Notes from the field.',
    },
    tags: [{ name: 'Notes', description: 'The notes.' }],
    paths,
    webhooks,
    components: {
      ...components,
      parameters: {
        ...pick(components.parameters, ['Limit', 'IdempotencyKey', 'IfNoneMatch', 'IfMatch']),
        ...parameters,
      },
      responses: { ...pick(components.responses, sharedResponses), ...responses },
      schemas: {
        Error: components.schemas['Error'],
        ErrorDetail: components.schemas['ErrorDetail'],
        EntityTags: components.schemas['EntityTags'],
        ErrorCode: errorCode(books),
        ...schemas,
      },
    },
  };
  // As the tools read it: without undefined values and shared objects.
  return JSON.parse(JSON.stringify(contract));
}

const sharedResponses = [
  'NotModified',
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'RequestTimeout',
  'IdempotencyConflict',
  'PreconditionFailed',
  'ContentTooLarge',
  'UnsupportedMediaType',
  'IdempotencyMismatch',
  'PreconditionRequired',
  'TooManyRequests',
  'RequestHeaderFieldsTooLarge',
  'InternalServerError',
  'ServiceUnavailable',
];

function pick(group: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, group[name]]));
}

/** The codes of that contract without those of its resources, and one for notes. */
function errorCode({ tags = [], components }: ContractDocument) {
  const { ErrorCode } = components.schemas;
  const resources = tags.map(({ name }) => `${name.toLowerCase().replace(/s$/, '')}_`);
  // The quotas of keys belong to every API.
  const isOurs = (code: string) =>
    ErrorCode['x-codes'][code]?.status === 429 || !resources.some((resource) => code.startsWith(resource));
  const notFound = { status: 404, cause: 'No note has this ID.', action: 'List the notes to find its ID.' };
  return {
    ...ErrorCode,
    enum: [...ErrorCode.enum.filter(isOurs), 'note_not_found'],
    'x-codes': {
      ...Object.fromEntries(Object.entries(ErrorCode['x-codes']).filter(([code]) => isOurs(code))),
      note_not_found: notFound,
    },
    example: 'note_not_found',
  };
}

const ref = (group: string, name: string) => ({ $ref: `#/components/${group}/${name}` });
const header = (name: string) => ref('headers', name);
const commonHeaders = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id', 'X-Key-Expires'].map((name) => [
    name,
    header(name),
  ]),
);

type Content = Record<string, { schema?: object; example?: unknown; 'x-stream'?: boolean; 'x-max-bytes'?: number }>;

function withExamples(content: Content): object {
  return Object.fromEntries(
    Object.entries(content).map(([type, { example, ...media }]) => [
      type,
      { ...media, examples: { usual: { summary: 'A usual one', value: example } } },
    ]),
  );
}

function success(description: string, content?: Content, headers: object = {}) {
  const body = content === undefined ? {} : { content: withExamples(content) };
  return { description, headers: { ...headers, ...commonHeaders }, ...body };
}

const conditional = { 'Cache-Control': header('Cache-Control'), ETag: header('ETag') };
const shared = (statuses: Record<string, string>) =>
  Object.fromEntries(Object.entries(statuses).map(([status, name]) => [status, ref('responses', name)]));
const always = shared({
  429: 'TooManyRequests',
  431: 'RequestHeaderFieldsTooLarge',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
});
const reading = { ...shared({ 400: 'BadRequest', 401: 'Unauthorized' }), ...always };
const writing = { ...reading, ...shared({ 403: 'Forbidden' }) };
const withBody = {
  ...writing,
  ...shared({ 408: 'RequestTimeout', 413: 'ContentTooLarge', 415: 'UnsupportedMediaType' }),
};
const withKey = shared({ 409: 'IdempotencyConflict', 422: 'IdempotencyMismatch' });
const matching = shared({ 412: 'PreconditionFailed', 428: 'PreconditionRequired' });
const notFound = shared({ 404: 'NoteNotFound' });

function operation(operationId: string, summary: string, parts: object) {
  return { operationId, tags: ['Notes'], summary, description: `${summary}.`, ...parts };
}
const write = { security: [{ apiKey: ['write'] }] };
const parameter = (name: string) => ref('parameters', name);
const body = (content: Content) => ({ required: true, description: 'The body.', content: withExamples(content) });

/** The body of a new note. */
export const textNote = {
  kind: 'text',
  title: 'Heron',
  text: 'Seen at dawn.',
  weight: 0.5,
  seenOn: '2026-11-22',
  observer: null,
} as const;
const note = { id: 1, ...textNote };
const noteContent = { 'application/json': { schema: ref('schemas', 'Note'), example: note } };

const paths = {
  '/notes': {
    get: operation('listNotes', 'List notes', {
      parameters: [
        parameter('Limit'),
        {
          name: 'tag',
          in: 'query',
          description: 'Restricts the result to notes with one of these tags.',
          schema: {
            type: 'array',
            maxItems: 5,
            uniqueItems: true,
            items: { type: 'string', minLength: 1, maxLength: 20 },
          },
          example: ['bird'],
        },
        {
          name: 'minWeight',
          in: 'query',
          description: 'Restricts the result to notes of at least this weight.',
          schema: { type: 'number', minimum: 0, exclusiveMaximum: 1000 },
          example: 0.5,
        },
        {
          name: 'X-Region',
          in: 'header',
          description: 'Restricts the result to a region.',
          schema: { type: 'string', enum: ['north', 'south'] },
          example: 'north',
        },
        {
          name: 'X-Depth',
          in: 'header',
          description: 'How many levels of detail to return.',
          schema: { type: 'integer', minimum: 1, maximum: 3 },
          example: 1,
        },
        parameter('IfNoneMatch'),
      ],
      responses: {
        200: success(
          'The notes.',
          { 'application/json': { schema: ref('schemas', 'Notes'), example: [note] } },
          conditional,
        ),
        304: ref('responses', 'NotModified'),
        ...reading,
      },
    }),
    post: operation('createNote', 'Add a note', {
      ...write,
      parameters: [parameter('IdempotencyKey')],
      requestBody: body({ 'application/json': { schema: ref('schemas', 'NewNote'), example: textNote } }),
      responses: {
        201: success('The note.', noteContent, {
          Location: header('Location'),
          ETag: header('ETag'),
          'Idempotency-Replayed': header('Idempotency-Replayed'),
        }),
        ...withBody,
        ...withKey,
      },
    }),
  },
  '/notes/{noteId}': {
    parameters: [parameter('NoteId')],
    get: operation('getNote', 'Get a note', {
      parameters: [parameter('IfNoneMatch')],
      responses: {
        200: success('The note.', noteContent, conditional),
        304: ref('responses', 'NotModified'),
        ...reading,
        ...notFound,
      },
    }),
    put: operation('replaceNote', 'Replace a note', {
      ...write,
      requestBody: body({ 'application/json': { schema: ref('schemas', 'NewNote'), example: textNote } }),
      responses: { 200: success('The note.', noteContent, { ETag: header('ETag') }), ...withBody, ...notFound },
    }),
    patch: operation('updateNote', 'Change a note', {
      ...write,
      parameters: [
        {
          name: 'notebook',
          in: 'query',
          description: 'Where the note is kept.',
          schema: { type: 'string', minLength: 1, maxLength: 20 },
          example: 'birds',
        },
        parameter('IfMatch'),
        parameter('IdempotencyKey'),
      ],
      requestBody: body({
        'application/merge-patch+json': {
          schema: ref('schemas', 'NotePatch'),
          example: { title: 'Grey heron', observer: null },
        },
      }),
      responses: {
        200: success('The note.', noteContent, {
          ETag: header('ETag'),
          'Idempotency-Replayed': header('Idempotency-Replayed'),
        }),
        ...withBody,
        ...withKey,
        ...notFound,
        ...matching,
      },
    }),
    delete: operation('deleteNote', 'Delete a note', {
      ...write,
      responses: { 204: success('The note is deleted.'), ...writing, ...notFound },
    }),
  },
  '/notes/{noteId}/photo': {
    parameters: [parameter('NoteId')],
    get: operation('getPhoto', 'Get the photo of a note', {
      responses: {
        200: success('The photo.', { 'image/png': { example: 'The bytes of a PNG file.' } }, privateCache()),
        ...reading,
        ...notFound,
      },
    }),
    put: operation('setPhoto', 'Set the photo of a note', {
      ...write,
      requestBody: body({ 'image/png': { example: 'The bytes of a PNG file.', 'x-max-bytes': 200_000 } }),
      responses: { 204: success('The photo is stored.'), ...withBody, ...notFound },
    }),
  },
  '/notes/{noteId}/title': {
    parameters: [parameter('NoteId')],
    get: operation('getTitle', 'Get the title of a note', {
      responses: {
        200: success(
          'The title.',
          { 'text/plain': { schema: { type: 'string' }, example: 'Käthe 1' } },
          privateCache(),
        ),
        ...reading,
        ...notFound,
      },
    }),
  },
  '/notes/{noteId}/text': {
    parameters: [parameter('NoteId')],
    put: operation('setText', 'Set the text of a note', {
      ...write,
      requestBody: body({
        'text/plain': { schema: { type: 'string', minLength: 1, maxLength: 500 }, example: 'Seen at dusk.' },
        'text/markdown': { schema: { type: 'string', minLength: 1, maxLength: 500 }, example: 'Seen at **dusk**.' },
      }),
      responses: { 204: success('The text is stored.'), ...withBody, ...notFound },
    }),
  },
  '/archives': {
    post: operation('checkArchive', 'Check an archive of notes', {
      ...write,
      requestBody: body({
        'application/octet-stream': { example: 'The bytes of an archive.', 'x-stream': true, 'x-max-bytes': 5_000_000 },
      }),
      responses: {
        200: success('The archive is complete.', {
          'application/json': { schema: ref('schemas', 'Archive'), example: { bytes: 24, sha256: 'a'.repeat(64) } },
        }),
        ...withBody,
      },
    }),
  },
  '/export': {
    get: operation('exportNotes', 'Export all notes', {
      parameters: [
        {
          name: 'count',
          in: 'query',
          description: 'Repeats the export.',
          schema: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
          example: 1,
        },
      ],
      responses: {
        200: success('The notes, one after the other.', {
          'application/x-ndjson': { schema: ref('schemas', 'Note'), example: note, 'x-stream': true },
          'text/csv': { schema: { type: 'string' }, example: 'id,title\n1,Heron\n', 'x-stream': true },
        }),
        ...reading,
        406: ref('responses', 'NotAcceptable'),
      },
    }),
  },
  '/export.csv': {
    get: operation('exportTable', 'Export as a table', {
      responses: {
        200: success('A row for each note.', {
          'text/csv': { schema: { type: 'string' }, example: 'id,title\n1,Käthe\n2,Mia\n', 'x-stream': true },
        }),
        ...reading,
      },
    }),
  },
  '/events': {
    get: operation('watchNotes', 'Watch the notes', {
      responses: {
        200: success('An event for each note.', {
          'text/event-stream': { schema: ref('schemas', 'Note'), example: note, 'x-stream': true },
        }),
        ...reading,
      },
    }),
  },
  '/about': {
    get: operation('getAbout', 'Describe the store', {
      security: [],
      responses: {
        200: success(
          'About the store.',
          { 'application/json': { schema: ref('schemas', 'About'), example: { name: 'Field Notes' } } },
          {
            'Cache-Control': {
              description: 'Any cache may keep the response for a minute.',
              required: true,
              schema: { type: 'string', const: 'public, max-age=60' },
              example: 'public, max-age=60',
            },
          },
        ),
        400: ref('responses', 'BadRequest'),
        ...always,
      },
    }),
  },
};

/** A function, because `paths` above uses it. */
function privateCache() {
  return { 'Cache-Control': header('Cache-Control') };
}

const webhooks = {
  noteCreated: {
    post: {
      operationId: 'noteCreated',
      tags: ['Notes'],
      summary: 'A note was added',
      description: 'Sent once for each new note.',
      requestBody: body({ 'application/json': { schema: ref('schemas', 'Note'), example: note } }),
      responses: { '2XX': { description: 'The receiver has accepted the event.' } },
    },
  },
};

const parameters = {
  NoteId: {
    name: 'noteId',
    in: 'path',
    required: true,
    description: 'Identifier of the note.',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    example: 1,
  },
};

function errorResponse(description: string, value: { code: string; message: string; status: number }) {
  const json = { 'application/json': { schema: ref('schemas', 'Error'), example: value } };
  return { description, headers: commonHeaders, content: withExamples(json) };
}

const responses = {
  NoteNotFound: errorResponse('The note cannot be found.', {
    code: 'note_not_found',
    message: 'No note has the ID 42.',
    status: 404,
  }),
  NotAcceptable: errorResponse('No response has a media type that `Accept` names.', {
    code: 'not_acceptable',
    message:
      'The media type of the response can be application/x-ndjson or text/csv. Set Accept to one of these, or omit it.',
    status: 406,
  }),
};

const text = { type: 'string', minLength: 1, maxLength: 100, description: 'Some text.', example: 'Heron' };
const fields = {
  title: text,
  weight: { type: 'number', minimum: 0, exclusiveMaximum: 1000, description: 'Kilograms.', example: 0.5 },
  seenOn: { type: 'string', format: 'date', description: 'The day of the sighting.', example: '2026-11-22' },
  observer: { type: ['string', 'null'], format: 'email', description: 'Where to ask.', example: 'ann@example.com' },
  tags: {
    type: 'array',
    maxItems: 5,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 20 },
    description: 'Tags.',
  },
};
const required = ['kind', 'title', 'weight', 'seenOn', 'observer'];
const newText = {
  type: 'object',
  description: 'A note of words.',
  additionalProperties: false,
  required: [...required, 'text'],
  properties: { kind: { type: 'string', enum: ['text'], description: 'Words.', example: 'text' }, ...fields, text },
};
const newPhoto = {
  type: 'object',
  description: 'A note of a picture.',
  additionalProperties: false,
  required: [...required, 'width'],
  properties: {
    kind: { type: 'string', enum: ['photo'], description: 'A picture.', example: 'photo' },
    ...fields,
    width: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Pixels.', example: 800 },
  },
};

const schemas = {
  NewTextNote: newText,
  NewPhotoNote: newPhoto,
  NewNote: {
    description: 'A note to add.',
    oneOf: [ref('schemas', 'NewTextNote'), ref('schemas', 'NewPhotoNote')],
    discriminator: {
      propertyName: 'kind',
      mapping: { text: '#/components/schemas/NewTextNote', photo: '#/components/schemas/NewPhotoNote' },
    },
  },
  NotePatch: {
    type: 'object',
    description: 'What to change.',
    additionalProperties: false,
    minProperties: 1,
    properties: { title: text, observer: fields.observer },
  },
  Note: {
    type: 'object',
    description: 'A note.',
    required: ['id', ...required],
    properties: {
      id: { type: 'integer', minimum: 1, description: 'Identifier.', example: 1 },
      kind: { type: 'string', enum: ['text', 'photo'], description: 'Words or a picture.', example: 'text' },
      ...fields,
      text: { type: 'string', maxLength: 500, description: 'The words.', example: 'Seen at dawn.' },
      width: { type: 'integer', description: 'Pixels.', example: 800 },
    },
  },
  Notes: { type: 'array', description: 'Notes.', maxItems: 100, items: ref('schemas', 'Note') },
  Archive: {
    type: 'object',
    description: 'A checked archive.',
    required: ['bytes', 'sha256'],
    properties: {
      bytes: { type: 'integer', minimum: 0, description: 'Its size.', example: 24 },
      sha256: {
        type: 'string',
        minLength: 64,
        maxLength: 64,
        pattern: '^[0-9a-f]{64}$',
        description: 'Its hash.',
        example: 'a'.repeat(64),
      },
    },
  },
  About: {
    type: 'object',
    description: 'About the store.',
    required: ['name'],
    properties: { name: { type: 'string', description: 'Its name.', example: 'Field Notes' } },
  },
};
