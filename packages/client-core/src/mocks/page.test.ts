import { describe, expect, test } from '@jest/globals';
import { list } from '../operations/index.ts';
import { type Paging, pagerOf } from '../paging.ts';
import type { MockedContract } from './contract.ts';
import { respond } from './respond.ts';

const five = [1, 2, 3, 4, 5].map((id) => ({ id, dock: id % 2 === 0 ? 'north' : 'south' }));

/** A contract with one list, whose example has five items in `data`, or is a list itself. */
function contractOf(paging: Paging | null, example: object): MockedContract {
  const operation = { method: 'GET', path: '/berths', access: 'public', requestBody: null, idempotent: false };
  return {
    basePath: '',
    operations: {
      list: { ...operation, negotiates: false, defaults: { limit: 2 }, stability: 'stable', deprecation: null },
    },
    replyExamples: { list: { 200: { headers: {}, optionalHeaders: {}, bodies: { example } } } },
    requestSchemas: {},
    definitions: {},
    errorStatus: {},
    plans: {},
    anonymousLimits: {},
    paging: { '/berths': paging },
  };
}

/** A client of the mocks, and the bodies that it got. */
function clientOf(contract: MockedContract) {
  const bodies: unknown[] = [];
  type Init = { params?: { query?: Record<string, string> }; querySerializer?: () => string };
  const request = async (_method: string, path: string, { params, querySerializer }: Init) => {
    const query = querySerializer?.() ?? new URLSearchParams(params?.query).toString();
    const sent = new Request(`https://harbour.example${path}?${query}`);
    const response = respond(contract, { id: 'list', request: sent }, { status: 200 });
    const data: unknown = await response.json();
    bodies.push(data);
    return { data, response };
  };
  return { request, bodies };
}

async function pagesOf(paging: Paging, example: object, params: object = {}) {
  const client = clientOf(contractOf(paging, example));
  const pages: unknown[][] = [];
  const call = list<{ id: number }>(
    client,
    { method: 'get', path: '/berths', query: Object.keys(params), paging },
    params,
    {},
    pagerOf,
  );
  for await (const page of call.pages()) pages.push(page.map(({ id }) => id));
  return { pages, last: client.bodies.at(-1) };
}

const size = 'limit';
const items = ['data'];

describe('the mocks answer pages that a client reads to the end', () => {
  test.each<[what: string, paging: Paging, example: object, last: object]>([
    [
      'by number, with the number of items and pages',
      { kind: 'page', items, size, parameter: 'page', start: 1, total: ['meta', 'total'], pages: ['meta', 'pages'] },
      { data: five, meta: { total: 90, pages: 45 } },
      { data: five.slice(4), meta: { total: 5, pages: 3 } },
    ],
    [
      'by offset, with a mark for more',
      { kind: 'offset', items, size, parameter: 'skip', start: 0, more: ['more'] },
      { data: five, more: true },
      { data: five.slice(4), more: false },
    ],
    [
      'by cursor in the body, which is null at the end',
      { kind: 'cursor', items, size, parameter: 'after', next: ['next'], end: null },
      { data: five, next: 'text' },
      { data: five.slice(4), next: null },
    ],
    [
      'by cursor in the last item',
      { kind: 'cursor', items, size, parameter: 'after', id: ['id'], more: ['more'] },
      { data: five, more: true },
      { data: five.slice(4), more: false },
    ],
    [
      'by link in the body, which is missing at the end',
      { kind: 'link', items, size, parameter: 'page', next: ['links', 'next'] },
      { data: five, links: { self: 'https://harbour.example/berths', next: 'https://harbour.example/berths?page=2' } },
      { data: five.slice(4), links: { self: 'https://harbour.example/berths' } },
    ],
    [
      'by link in the header',
      { kind: 'link', items, size, parameter: 'offset' },
      { data: five },
      { data: five.slice(4) },
    ],
    ['by offset in an array', { kind: 'offset', size, parameter: 'offset', start: 0 }, five, []],
  ])('%s', async (_, paging, example, last) => {
    const { pages, last: body } = await pagesOf(paging, example);
    expect(pages.filter((page) => page.length > 0)).toEqual([[1, 2], [3, 4], [5]]);
    expect(body).toEqual(last);
  });

  test('with filters by what the items have, and without other parameters', async () => {
    const paging: Paging = { kind: 'page', items, size, parameter: 'page', start: 1, total: ['total'] };
    const { pages, last } = await pagesOf(paging, { data: five, total: 1 }, { dock: 'south', sort: 'name' });
    expect(pages.flat()).toEqual([1, 3, 5]);
    expect(last).toMatchObject({ total: 3 });
  });
});

test('a list whose links have an unknown parameter has one page', async () => {
  const links = { next: 'https://harbour.example/berths?page=2' };
  const { pages, last } = await pagesOf({ kind: 'link', items, size, next: ['links', 'next'] }, { data: five, links });
  expect([pages, last]).toEqual([[[1, 2, 3, 4, 5]], { data: five, links: {} }]);
});

test('a list that continues in an unknown way is answered as a whole, and a cursor that is none is refused', async () => {
  const { request } = clientOf(contractOf(null, five));
  expect((await request('get', '/berths', { params: { query: { limit: '1' } } })).data).toEqual(five);
  const paging: Paging = { kind: 'cursor', items, parameter: 'after', id: ['id'] };
  const mocked = clientOf(contractOf(paging, { data: five }));
  await expect(mocked.request('get', '/berths', { params: { query: { after: 'x' } } })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The request is invalid: query/after is not a cursor of this list.',
  });
});
