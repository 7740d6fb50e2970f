import { describe, expect, test } from '@jest/globals';
import { list } from './operations/index.ts';
import { type Listing, type Paging, pagerOf } from './paging.ts';
import { listQuery } from './queries/index.ts';

type Query = Readonly<Record<string, string>>;
type Answer = { body: unknown; headers?: Record<string, string> };

/** The numbers from 1 to `count`, as items. */
function items(count: number, from = 1): { id: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: from + index }));
}

/** A client of a server that answers each query, and the queries that it received. */
function clientOf(answer: (query: Query) => Answer) {
  const sent: string[] = [];
  type Init = { params?: { query?: Record<string, string> }; querySerializer?: () => string };
  const request = async (_method: string, _path: string, { params, querySerializer }: Init) => {
    const query = querySerializer?.() ?? new URLSearchParams(params?.query).toString();
    sent.push(query);
    if (sent.length > 20) throw new Error('The client asks for ever.');
    const { body, headers = {} } = answer(Object.fromEntries(new URLSearchParams(query)));
    return { data: body, response: new Response(null, { headers }) };
  };
  return { request, GET: (path: string, init: Init) => request('get', path, init), sent };
}

/** All IDs that a list has, and the queries. */
async function idsOf(paging: Paging, answer: (query: Query) => Answer, params: object = {}) {
  const client = clientOf(answer);
  const call = list<{ id: number }>(
    client,
    { method: 'get', path: '/berths', query: Object.keys(params), paging },
    params,
    {},
    pagerOf,
  );
  const ids = await collect(call).then((all) => all.map(({ id }) => id));
  return { ids, sent: client.sent };
}

async function collect<Item>(listing: Listing<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of listing) all.push(item);
  return all;
}

/** Five berths in pages of two. */
const five = items(5);
const pageAt = (start: number, size = 2) => five.slice(start, start + size);
const byPage = (query: Query) => pageAt((Number(query['page'] ?? 1) - 1) * 2);
const byOffset = (query: Query) => pageAt(Number(query['offset'] ?? 0));
const byCursor = (query: Query) => Number(query['after'] ?? 0);

const page: Paging = { kind: 'page', items: ['data'], parameter: 'page', start: 1 };
const offset: Paging = { kind: 'offset', items: ['data'], parameter: 'offset' };
const cursor: Paging = { kind: 'cursor', items: ['data'], parameter: 'after' };

describe('all pages are read, once each', () => {
  test.each<[what: string, paging: Paging, answer: (query: Query) => Answer, sent: string[]]>([
    [
      'numbers, until an empty page',
      page,
      (query) => ({ body: { data: byPage(query) } }),
      ['', 'page=2', 'page=3', 'page=4'],
    ],
    [
      'numbers in an array, until an empty page',
      { kind: 'page', parameter: 'page', start: 1 },
      (query) => ({ body: byPage(query) }),
      ['', 'page=2', 'page=3', 'page=4'],
    ],
    [
      'numbers, until the number of pages',
      { ...page, pages: ['meta', 'pages'] },
      (query) => ({ body: { data: byPage(query), meta: { pages: 3 } } }),
      ['', 'page=2', 'page=3'],
    ],
    [
      'numbers from 0, until there are no more',
      { ...page, start: 0, more: ['hasMore'] },
      ({ page = '0' }) => ({ body: { data: pageAt(Number(page) * 2), hasMore: page !== '2' } }),
      ['', 'page=1', 'page=2'],
    ],
    [
      'numbers in the body, until there is none',
      { ...page, next: ['next'] },
      (query) => ({
        body: { data: byPage(query), next: query['page'] === '3' ? null : Number(query['page'] ?? 1) + 1 },
      }),
      ['', 'page=2', 'page=3'],
    ],
    [
      // A shorter last page does not say how long the earlier ones were.
      'numbers with the number of items, until an empty page',
      { ...page, total: ['total'] },
      (query) => ({ body: { data: byPage(query), total: 5 } }),
      ['', 'page=2', 'page=3', 'page=4'],
    ],
    [
      'offsets, until the number of items',
      { ...offset, total: ['total'] },
      (query) => ({ body: { data: byOffset(query), total: 5 } }),
      ['', 'offset=2', 'offset=4'],
    ],
    [
      'offsets, until an empty page',
      offset,
      (query) => ({ body: { data: byOffset(query) } }),
      ['', 'offset=2', 'offset=4', 'offset=5'],
    ],
    [
      'offsets, when the total is missing',
      { ...offset, total: ['total'] },
      (query) => ({ body: { data: byOffset(query) } }),
      ['', 'offset=2', 'offset=4', 'offset=5'],
    ],
    [
      'offsets, when the total is not known',
      { ...offset, total: ['total'] },
      (query) => ({ body: { data: byOffset(query), total: 0 } }),
      ['', 'offset=2', 'offset=4', 'offset=5'],
    ],
    [
      'cursors in the body',
      { ...cursor, next: ['meta', 'next'] },
      (query) => ({
        body: { data: pageAt(byCursor(query)), meta: byCursor(query) < 4 ? { next: byCursor(query) + 2 } : {} },
      }),
      ['', 'after=2', 'after=4'],
    ],
    [
      'cursors in the body, which the last page has, too',
      { ...cursor, next: ['last_id'], more: ['has_more'] },
      (query) => ({
        body: { data: pageAt(byCursor(query)), last_id: byCursor(query) + 2, has_more: byCursor(query) < 4 },
      }),
      ['', 'after=2', 'after=4'],
    ],
    [
      'cursors in the last item',
      { ...cursor, id: ['id'], more: ['has_more'] },
      (query) => ({ body: { data: pageAt(byCursor(query)), has_more: byCursor(query) < 4 } }),
      ['', 'after=2', 'after=4'],
    ],
    [
      'links in the body, at the URL of the client',
      { kind: 'link', items: ['data'], next: ['links', 'next'] },
      (query) => ({
        body: {
          data: byPage(query),
          links:
            query['page'] === '3' ? {} : { next: `https://other.example/x?page=${Number(query['page'] ?? 1) + 1}#top` },
        },
      }),
      ['', 'page=2', 'page=3'],
    ],
    [
      'links in the header, with the items in an envelope',
      { kind: 'link', items: ['data'] },
      (query) => ({
        body: { data: byPage(query) },
        headers: query['page'] === '3' ? {} : { Link: `<?page=${Number(query['page'] ?? 1) + 1}>; rel="next"` },
      }),
      ['', 'page=2', 'page=3'],
    ],
  ])('%s', async (_, paging, answer, sent) => {
    expect(await idsOf(paging, answer)).toEqual({ ids: [1, 2, 3, 4, 5], sent });
  });

  test('from the page that the caller names, with the other parameters', async () => {
    const answer = (query: Query) => ({ body: { data: byPage(query) } });
    expect(await idsOf(page, answer, { page: 2, sort: 'name' })).toEqual({
      ids: [3, 4, 5],
      sent: ['page=2&sort=name', 'page=3&sort=name', 'page=4&sort=name'],
    });
    const skipped = await idsOf(
      { ...offset, total: ['total'] },
      (query) => ({ body: { data: byOffset(query), total: 5 } }),
      { offset: 3 },
    );
    expect(skipped).toEqual({ ids: [4, 5], sent: ['offset=3'] });
  });

  test('a page may be shorter than the others, and lack its items if the contract allows it', async () => {
    const pages: Record<string, object> = { '1': { data: items(1) }, '2': { data: items(2, 2) }, '3': {} };
    const answer = (query: Query) => ({ body: pages[query['page'] ?? '1'] });
    expect((await idsOf({ ...page, optional: true }, answer)).ids).toEqual([1, 2, 3]);
    await expect(idsOf(page, answer)).rejects.toMatchObject({ message: 'The response is not a list.' });
    await expect(idsOf({ ...page, optional: true }, () => ({ body: 'text' }))).rejects.toThrow('not a list');
  });

  test('the example of an operation without code is the only page', async () => {
    const headers = { 'X-Example-Response': 'true' };
    for (const paging of [
      page,
      offset,
      { ...cursor, next: ['next'] },
      { kind: 'link', items: ['data'], next: ['next'] } as const,
    ]) {
      const { sent } = await idsOf(paging, () => ({
        body: { data: items(1), next: 'https://a.example/?page=2' },
        headers,
      }));
      expect(sent).toEqual(['']);
    }
  });
});

describe('a list that has no end is an error, before a page comes twice', () => {
  const endless = { name: 'ApiError', code: 'unexpected_response', message: 'The list has no end: a page came twice.' };

  test.each<[what: string, paging: Paging, answer: (query: Query) => Answer, requests: number]>([
    ['the number is ignored', page, () => ({ body: { data: items(2) } }), 2],
    ['the offset is ignored', offset, () => ({ body: { data: items(2) } }), 2],
    ['the cursor stays the same', { ...cursor, next: ['next'] }, () => ({ body: { data: items(2), next: 'a' } }), 2],
    [
      'two cursors follow each other',
      { ...cursor, next: ['next'] },
      ({ after }) => ({ body: { data: items(2), next: after === 'a' ? 'b' : 'a' } }),
      3,
    ],
    [
      'the link stays the same',
      { kind: 'link', items: ['data'], next: ['next'] },
      () => ({ body: { data: items(2), next: '?page=2' } }),
      2,
    ],
    [
      'the link has no query',
      { kind: 'link', items: ['data'], next: ['next'] },
      () => ({ body: { data: items(2), next: '/berths/2' } }),
      1,
    ],
    ['the last item stays the same', { ...cursor, id: ['id'] }, () => ({ body: { data: items(2) } }), 2],
  ])('%s', async (_, paging, answer, requests) => {
    const client = clientOf(answer);
    const call = list(client, { method: 'get', path: '/berths', paging }, {}, {}, pagerOf);
    await expect(collect(call)).rejects.toMatchObject(endless);
    expect(client.sent).toHaveLength(requests);
  });

  test('in a JSON array with a Link header, too', async () => {
    const client = clientOf(() => ({ body: items(2), headers: { Link: '<?page=2>; rel="next"' } }));
    await expect(collect(list(client, { method: 'get', path: '/berths' }))).rejects.toMatchObject(endless);
    expect(client.sent).toHaveLength(2);
  });

  test('a next page that is not a text', async () => {
    const answer = () => ({ body: { data: items(2), next: { id: 2 } } });
    await expect(idsOf({ ...cursor, next: ['next'] }, answer)).rejects.toThrow('neither a text nor a number');
  });
});

test('await returns the body of the first page, and pages() the items with the parameter of the next page', async () => {
  const paging: Paging = { ...page, total: ['total'] };
  const client = clientOf((query) => ({ body: { data: byPage(query), total: 5 } }));
  const facts = { method: 'get', path: '/berths', paging };
  expect(await list<unknown, { total: number }>(client, facts, {}, {}, pagerOf)).toEqual({ data: pageAt(0), total: 5 });
  const cursors: unknown[] = [];
  for await (const { nextCursor } of list(client, facts, {}, {}, pagerOf).pages()) cursors.push(nextCursor);
  expect(cursors).toEqual(['2', '3', '4', undefined]);
  const numbered = clientOf((query) => ({ body: byPage(query) }));
  const plain = { method: 'get', path: '/berths', paging: { kind: 'page', parameter: 'page', start: 1 } } as const;
  expect(await list<{ id: number }>(numbered, plain, {}, {}, pagerOf)).toMatchObject({ length: 2, nextCursor: '2' });
});

test('an infinite query requests each page by its parameter, and has the items of all pages', async () => {
  const client = clientOf((query) => ({ body: { data: byPage(query) } }));
  const facts = { method: 'get', path: '/berths', query: ['sort'], paging: page };
  const { queryFn, getNextPageParam, select } = listQuery(client, facts, pagerOf).infinite({ sort: 'name' });
  const { signal } = new AbortController();
  const first = await queryFn({ pageParam: '', signal });
  const second = await queryFn({ pageParam: getNextPageParam(first) ?? '', signal });
  expect(select({ pages: [first, second], pageParams: [] })).toEqual(items(4));
  expect(client.sent).toEqual(['sort=name', 'sort=name&page=2']);
});
