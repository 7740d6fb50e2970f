import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { createAnimalStore, paginate, unwrap } from '../src/index.ts';

let server: TestServer;
let sent: string[];

beforeAll(async () => {
  server = await startTestServer();
  const store = clientOf(server);
  for (let id = 1; id <= 7; id += 1) {
    const status = id % 2 === 0 ? 'sold' : 'available';
    await unwrap(store.POST('/pets', { body: { name: `Animal ${id}`, categoryId: 1, status } }));
  }
});
afterAll(() => server.stop());
beforeEach(() => {
  sent = [];
});

/**
 * A client that records its requests, and whose responses have the `Link` header that `link` returns for the real one.
 */
function clientOf({ url, key }: TestServer, link = (value: string) => value) {
  return createAnimalStore({
    apiKey: key,
    baseUrl: `${url}/v1`,
    fetch: async (request) => {
      sent?.push(request.url);
      const response = await fetch(request);
      const headers = new Headers(response.headers);
      const value = headers.get('Link');
      if (value !== null) headers.set('Link', link(value));
      return new Response(response.body, { status: response.status, headers });
    },
  });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const inPairs = { params: { query: { limit: 2 } } };

describe('paginate', () => {
  test('keeps the filter on every page', async () => {
    const init = { params: { query: { limit: 1, status: 'sold' } } } as const;
    const sold = await collect(paginate(clientOf(server), '/pets', init));
    expect(sold.map(({ id }) => id)).toEqual([2, 4, 6]);
    expect(sent.every((url) => url.includes('status=sold'))).toBe(true);
  });

  test('continues from the cursor of a page, with the same filter', async () => {
    const query = { limit: 1, status: 'available' } as const;
    const [first] = await collect(paginate(clientOf(server), '/pets', { params: { query } }).pages());
    expect(JSON.stringify(first)).toBe(JSON.stringify([...(first ?? [])]));
    const params = { query: { ...query, cursor: first?.nextCursor ?? '' } };
    const pages = await collect(paginate(clientOf(server), '/pets', { params }).pages());
    expect(pages.flat().map(({ id }) => id)).toEqual([3, 5, 7]);
    expect(pages.map(({ nextCursor }) => typeof nextCursor)).toEqual(['string', 'string', 'undefined']);
  });

  test('requests no further pages when the consumer stops', async () => {
    for await (const { id } of paginate(clientOf(server), '/pets', inPairs)) if (id === 3) break;
    expect(sent).toHaveLength(2);
  });

  test('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const pets = paginate(clientOf(server), '/pets', { ...inPairs, signal: controller.signal });
    const iterate = async () => {
      for await (const { id } of pets) if (id === 2) controller.abort('enough');
    };
    await expect(iterate()).rejects.toMatchObject({ name: 'AbortError', cause: 'enough', attempts: 0 });
    expect(sent).toHaveLength(1);
  });
});

test.each([
  ['another host', (value: string) => value.replace(/<https?:..[^/]+/, '<http://thief.example')],
  ['another path', (value: string) => value.replace(/<[^?]+/, '<https://thief.example/other')],
  ['no host', (value: string) => value.replace(/<[^?]+/, '<')],
  ['a part of the page', (value: string) => value.replace('>', '#more>')],
])('a Link to %s is followed at the base URL of the client, so the key is sent nowhere else', async (_, link) => {
  const pets = await collect(paginate(clientOf(server, link), '/pets', inPairs));
  expect(pets).toHaveLength(7);
  const address = `${server.url}/v1/pets?`;
  expect(sent.map((url) => url.slice(0, address.length))).toEqual(Array(4).fill(address));
  expect(sent.join()).not.toContain('#');
});
