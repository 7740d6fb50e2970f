/** A contract of another team: composed schemas, names with hyphens, own plans, and none of the features of our contracts. */
import type { ContractDocument } from '../src/contract/document.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object, example?: unknown) => ({ 'application/json': { schema, example } });
const text = { type: 'string' };

const headerNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];
const headers = {
  ...Object.fromEntries(headerNames.map((name) => [name, { required: true, schema: {}, example: '1' }])),
  'Cache-Control': { schema: {}, example: 'no-store' },
  'WWW-Authenticate': { schema: {}, example: 'Bearer' },
};

/** A success with a body, and the refusals of the server. */
export function museumResponses(schema: object, example?: unknown) {
  const refusal = (code: string, status: number) => ({
    description: 'A refusal.',
    headers,
    content: json(ref('Error'), { code, message: 'No.', status }),
  });
  return {
    200: {
      description: 'A success.',
      headers,
      content: json(schema, example),
    },
    400: refusal('invalid_request', 400),
    401: refusal('api_key_missing', 401),
  };
}

const room = { name: 'East wing', 'opening-times': { opens: '09:00' } };

const schemas = {
  'Room-Base': {
    type: 'object',
    required: ['name'],
    properties: { name: text, 'opening-times': ref('opening.times') },
  },
  'opening.times': { type: 'object', required: ['opens'], properties: { opens: text } },
  NewRoom: {
    allOf: [
      ref('Room-Base'),
      {
        type: 'object',
        required: ['id', 'doorCode'],
        properties: {
          id: { type: 'integer', readOnly: true },
          doorCode: { type: 'string', writeOnly: true },
          phone: { type: 'string', format: 'phone' },
        },
      },
    ],
  },
  Work: {
    oneOf: [ref('Painting'), ref('Statue')],
    discriminator: { propertyName: 'kind', mapping: { painting: ref('Painting').$ref, statue: ref('Statue').$ref } },
  },
  Described: { type: 'object', required: ['kind', 'title'], properties: { kind: text, title: text } },
  Painting: { allOf: [ref('Described'), { type: 'object', properties: { frame: text } }] },
  Statue: { allOf: [ref('Described'), { type: 'object', required: ['stone'], properties: { stone: text } }] },
  Error: {
    type: 'object',
    required: ['code', 'message', 'status'],
    properties: {
      code: ref('ErrorCode'),
      message: text,
      status: { type: 'integer' },
      details: {},
      documentation: text,
    },
  },
  ErrorCode: { type: 'string', 'x-codes': codes() },
};

function codes() {
  const statuses = {
    ...{ invalid_request: 400, invalid_json: 400, api_key_missing: 401, api_key_invalid: 401, insufficient_scope: 403 },
    ...{ route_not_found: 404, method_not_allowed: 405, body_too_large: 413, unsupported_media_type: 415 },
    ...{ rate_limited: 429, key_banned: 429, internal_error: 500, service_unavailable: 503 },
  };
  return Object.fromEntries(
    Object.entries(statuses).map(([code, status]) => [code, { status, cause: code, action: 'Retry.' }]),
  );
}

const paths = {
  '/rooms/{roomId}': {
    get: {
      operationId: 'getRoom',
      tags: ['Rooms'],
      summary: 'Get a room',
      parameters: [{ name: 'roomId', in: 'path', required: true, schema: { type: 'integer' } }],
      responses: museumResponses(ref('NewRoom'), { id: 1, ...room }),
    },
  },
  '/rooms': {
    post: {
      operationId: 'createRoom',
      tags: ['Rooms'],
      summary: 'Add a room',
      requestBody: { required: true, content: json(ref('NewRoom')) },
      responses: museumResponses(ref('NewRoom')),
    },
  },
  '/works': {
    post: {
      operationId: 'createWork',
      tags: ['Works'],
      summary: 'Add a work',
      requestBody: { required: true, content: json(ref('Work')) },
      responses: museumResponses(ref('Work')),
    },
  },
};

/** @param serverUrls those of the API; the paths and schemas are added to those of the contract */
export function museumContract({
  serverUrls = ['https://api.museum.example/museum/v2'],
  ...added
}: {
  serverUrls?: readonly string[];
  paths?: object;
  schemas?: object;
} = {}): ContractDocument {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Museum', version: '2.0.0', summary: 'Rooms and works.', description: 'A museum.', contact: {} },
    servers: serverUrls.map((url) => ({ url, description: 'The museum' })),
    paths: { ...paths, ...added.paths },
    components: {
      ...{ parameters: {}, headers, responses: {} },
      securitySchemes: { key: { type: 'http', scheme: 'bearer', bearerFormat: 'mu_live_… or mu_test_…' } },
      schemas: { ...schemas, ...added.schemas },
    },
    security: [{ key: ['read'] }],
    'x-rate-limits': {
      plans: { patron: { title: 'Patron', custom: true }, visitor: { title: 'Visitor', perMinute: 50, perDay: 500 } },
      anonymous: { perMinute: 60, perDay: 1_000 },
      ban: {
        ...{ graceSeconds: 2, toleratedRefusals: 10, firstSeconds: 60 },
        ...{ factor: 2, maximumSeconds: 3_600, forgetAfterSeconds: 86_400 },
      },
    },
    'x-limits': { bodyBytes: 65_536, idempotencySeconds: 86_400, keyExpiryNoticeDays: 30 },
  };
  return JSON.parse(JSON.stringify(document));
}
