import { describe, expect, test } from '@jest/globals';
import { operationsOf } from '../contract/document.ts';
import { listFactsOf } from '../contract/pagination.ts';
import type { JsonObject } from './draft.ts';
import { effectiveContract } from './effective.ts';

const text = { type: 'string' };
const url = { type: 'string', format: 'uri' };
const integer = { type: 'integer' };
const yes = { type: 'boolean' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const berth = object({ id: text, name: text }, ['id']);
const list = { type: 'array', items: berth };

type List = {
  /** Schemas of query parameters. */
  query?: Record<string, object>;
  body: object;
  headers?: object;
  components?: object;
};

/** The effective contract of one list. */
function completed({ query = {}, body, headers = {}, components = {} }: List) {
  const parameters = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  const content = { 'application/json': { schema: body } };
  const get = { operationId: 'listBerths', parameters, responses: { 200: { description: 'Fine.', headers, content } } };
  const given: JsonObject = JSON.parse(
    JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: { '/berths': { get } }, components }),
  );
  return effectiveContract(given, 'harbour');
}

function paginationOf(given: List): unknown {
  return completed(given).document.paths['/berths']?.get?.['x-pagination'];
}

describe('a list continues', () => {
  test.each<[how: string, given: List, pagination: object]>([
    [
      'by a cursor in the body',
      {
        query: { cursor: text, limit: integer },
        body: object({ data: list, next_cursor: { type: ['string', 'null'] } }),
      },
      { kind: 'cursor', items: '/data', size: 'limit', parameter: 'cursor', next: '/next_cursor' },
    ],
    [
      'by a cursor and a mark in an object about the page',
      {
        query: { after: text, before: text },
        body: object({ berths: list, pagination: object({ hasMore: yes, nextCursor: text }) }),
      },
      {
        kind: 'cursor',
        items: '/berths',
        parameter: 'after',
        next: '/pagination/nextCursor',
        more: '/pagination/hasMore',
      },
    ],
    [
      'by the cursors of connections',
      {
        query: { after: text, first: integer },
        body: object({ nodes: list, pageInfo: object({ endCursor: text, hasNextPage: yes }) }),
      },
      {
        kind: 'cursor',
        items: '/nodes',
        size: 'first',
        parameter: 'after',
        next: '/pageInfo/endCursor',
        more: '/pageInfo/hasNextPage',
      },
    ],
    [
      'by the last item',
      { query: { starting_after: text }, body: object({ data: list, has_more: yes }) },
      { kind: 'cursor', items: '/data', parameter: 'starting_after', id: '/id', more: '/has_more' },
    ],
    [
      'by an ID of the last item, which the body has',
      { query: { after: text }, body: object({ data: list, last_id: text, has_more: yes }) },
      { kind: 'cursor', items: '/data', parameter: 'after', next: '/last_id', more: '/has_more' },
    ],
    [
      'by a page that is a text',
      { query: { page: text }, body: object({ data: list, next_page: { anyOf: [text, { type: 'null' }] } }) },
      { kind: 'cursor', items: '/data', parameter: 'page', next: '/next_page' },
    ],
    [
      'by the number of the next page',
      {
        query: { page: integer },
        body: object({ data: list, meta: object({ next_page: { type: ['integer', 'null'] } }) }),
      },
      { kind: 'page', items: '/data', parameter: 'page', next: '/meta/next_page' },
    ],
    [
      'by a number that begins with the default, in an array',
      { query: { page: { type: 'integer', default: 1 }, per_page: integer }, body: list },
      { kind: 'page', size: 'per_page', parameter: 'page' },
    ],
    [
      'by a number that begins with the minimum, to the number of pages',
      {
        query: { 'page[number]': { type: 'integer', minimum: 0 }, 'page[size]': integer },
        body: object({ data: list, included: list, meta: object({ totalPages: integer, total: integer }) }),
      },
      {
        kind: 'page',
        items: '/data',
        size: 'page[size]',
        parameter: 'page[number]',
        total: '/meta/total',
        pages: '/meta/totalPages',
      },
    ],
    [
      'by an offset, to the number of items',
      { query: { skip: integer, limit: integer }, body: object({ results: list, total: integer }) },
      { kind: 'offset', items: '/results', size: 'limit', parameter: 'skip', total: '/total' },
    ],
    [
      'by a link, also if there are numbers',
      {
        query: { page: { type: 'integer', default: 1 } },
        body: object({ data: list, links: object({ self: url, next: url }) }),
      },
      { kind: 'link', items: '/data', next: '/links/next', parameter: 'page' },
    ],
    [
      'by a link with its address in an object, and its list in another',
      { body: object({ _embedded: object({ berths: list }), _links: object({ next: object({ href: text }) }) }) },
      { kind: 'link', items: '/_embedded/berths', next: '/_links/next/href' },
    ],
    [
      'by a link that only its format tells from a cursor, in parts of allOf',
      {
        query: { offset: integer },
        body: { allOf: [object({ next: url }), { $ref: '#/components/schemas/Berths' }] },
        components: { schemas: { Berths: object({ results: list, count: integer }) } },
      },
      { kind: 'link', items: '/results', next: '/next', parameter: 'offset' },
    ],
    [
      'by the Link header, next to an envelope',
      { query: { limit: integer }, body: object({ data: list }), headers: { Link: { schema: text } } },
      { kind: 'link', items: '/data', size: 'limit' },
    ],
  ])('%s', (_, given, pagination) => {
    expect(paginationOf(given)).toEqual(pagination);
  });
});

test.each<[what: string, given: List]>([
  ['an array with a Link header', { query: { page: integer }, body: list, headers: { link: { schema: text } } }],
  ['an array without any sign of pages', { query: { after: { type: 'string', format: 'date' } }, body: list }],
  [
    'an object with one list and no sign of pages',
    { query: { sort: text }, body: object({ name: text, docks: list }) },
  ],
  [
    'an object with a list and a size of something else',
    { query: { size: integer }, body: object({ name: text, images: list }) },
  ],
  ['no list', { query: { page: integer }, body: berth }],
])('%s gets no extension', (_, given) => {
  const { changes } = completed(given);
  expect(paginationOf(given)).toBeUndefined();
  expect([...changes.keys()].join()).not.toContain('x-pagination');
});

test.each<[what: string, given: List]>([
  ['a first number that is not known', { query: { page: integer }, body: list }],
  ['a limit alone', { query: { limit: integer }, body: object({ items: list }) }],
  ['a cursor that is nowhere', { query: { after: text }, body: list }],
  [
    'a cursor before which the page ends',
    { query: { before: text, limit: integer }, body: object({ data: list, has_more: yes }) },
  ],
  ['pages and offsets', { query: { page: { type: 'integer', default: 1 }, offset: integer }, body: list }],
  ['two lists', { query: { page: { type: 'integer', default: 1 } }, body: object({ berths: list, docks: list }) }],
])('a list with %s is reported, and the client has no loop over it', (_, given) => {
  const { document, changes } = completed(given);
  expect([...changes]).toContainEqual([
    expect.stringMatching(/how its pages continue is not clear.* write x-pagination, such as \{ kind: cursor/),
    ['GET /berths'],
  ]);
  const [placed] = operationsOf(document);
  expect(placed && listFactsOf(document, placed)).toBeNull();
});

test('a link to a page that no parameter selects is reported', () => {
  const body = object({ data: list, links: object({ next: url }) });
  const refuses = 'The service refuses parameters that the contract does not have';
  expect([...completed({ body }).changes.keys()].join()).toContain(refuses);
  expect([...completed({ body, query: { page: integer } }).changes.keys()].join()).not.toContain(refuses);
});

test('an extension that the contract has is not changed', () => {
  const query = { page: { type: 'integer', default: 1 } };
  const { document } = completed({ query, body: list });
  const again = JSON.parse(JSON.stringify(document));
  again.paths['/berths'].get['x-pagination'] = { kind: 'offset', parameter: 'page' };
  delete again.components.schemas.ErrorCode;
  const { document: kept } = effectiveContract(again, 'harbour');
  expect(kept.paths['/berths']?.get?.['x-pagination']).toEqual({ kind: 'offset', parameter: 'page' });
});

test('the client learns the first number, whether the items may be missing, and how mocks end the list', () => {
  const next = { type: ['string', 'null'] };
  const { document } = completed({ query: { cursor: text }, body: object({ meta: object({ next }), data: list }) });
  const [placed] = operationsOf(document);
  expect(placed && listFactsOf(document, placed)?.paging).toEqual({
    kind: 'cursor',
    parameter: 'cursor',
    items: ['data'],
    next: ['meta', 'next'],
    optional: true,
    end: null,
  });
  const numbered = completed({
    query: { page: { type: 'integer', exclusiveMinimum: 0 } },
    body: object({ data: list }, ['data']),
  });
  const [other] = operationsOf(numbered.document);
  expect(other && listFactsOf(numbered.document, other)?.paging).toEqual({
    kind: 'page',
    parameter: 'page',
    start: 1,
    items: ['data'],
  });
});
