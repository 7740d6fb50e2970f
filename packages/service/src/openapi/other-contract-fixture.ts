import type { middleware } from 'express-openapi-validator';

type Document = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const responses = { 200: { description: 'All is well.' } };
const inQuery = { in: 'query' } as const;

/** A contract with features that ours does not use: lists, objects, JSON in parameters, brackets in names, keys in headers. */
export const otherContract: Document = {
  openapi: '3.0.3',
  info: { title: 'Another contract', version: '1.0.0' },
  paths: {
    '/lists': {
      get: {
        parameters: [
          { ...inQuery, name: 'many', schema: { type: 'array', items: integer } },
          { ...inQuery, name: 'commas', explode: false, schema: { type: 'array', items: text } },
          {
            ...inQuery,
            name: 'pipes',
            style: 'pipeDelimited',
            explode: false,
            schema: { type: 'array', items: integer },
          },
          { ...inQuery, name: 'plain', schema: text },
          { ...inQuery, name: 'reserved', allowReserved: true, schema: text },
        ],
        responses,
      },
    },
    '/objects': {
      get: {
        parameters: [
          { ...inQuery, name: 'deep', style: 'deepObject', schema: { $ref: '#/components/schemas/Sized' } },
          { ...inQuery, name: 'spread', schema: { type: 'object', properties: { a: text, b: integer } } },
          { ...inQuery, name: 'pairs', explode: false, schema: { type: 'object', properties: { c: text } } },
          {
            ...inQuery,
            name: 'json',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Sized' } } },
          },
        ],
        responses,
      },
    },
    '/brackets': {
      get: {
        parameters: [
          { ...inQuery, name: 'page', style: 'deepObject', schema: { type: 'object', properties: { size: integer } } },
          { ...inQuery, name: 'plain', schema: { ...integer, default: 5 } },
        ],
        responses,
      },
    },
    '/paths/{ids}/{name}': {
      get: {
        parameters: [
          { in: 'path', name: 'ids', required: true, schema: { type: 'array', items: integer } },
          { in: 'path', name: 'name', required: true, schema: text },
        ],
        responses,
      },
    },
    '/bodies': {
      post: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Named' } } },
        },
        responses,
      },
    },
    '/secured': {
      get: { security: [{ Key: [] }], parameters: [{ in: 'header', name: 'X-Size', schema: integer }], responses },
    },
  },
  components: {
    schemas: {
      Sized: { type: 'object', properties: { size: { ...integer, default: 3 }, name: text } },
      Named: { type: 'object', required: ['name'], properties: { name: text, size: { ...integer, default: 4 } } },
    },
    securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
};
