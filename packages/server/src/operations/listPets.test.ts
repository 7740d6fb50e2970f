import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function addPets(...pets: { name: string; status?: string }[]): Promise<number[]> {
  const ids: number[] = [];
  for (const pet of pets) {
    const { body } = await server.call('createPet', { body: { categoryId: 1, ...pet } });
    ids.push(body.id);
  }
  return ids;
}

function nextLink(headers: Headers): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
}

describe('200', () => {
  test('an empty store returns an empty array and no next page', async () => {
    const reply = await server.call('listPets');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.body).toEqual([]);
    expect(reply.headers.get('link')).toBeNull();
  });

  test('without limit at most 20 animals are returned, the oldest first', async () => {
    const pets = Array.from({ length: 25 }, (_, index) => ({
      name: `pet ${index}`,
      ...(index % 5 === 0 ? { status: 'sold' } : {}),
    }));
    const ids = await addPets(...pets);
    const reply = await server.call('listPets');
    expect(reply.body.map((pet: { id: number }) => pet.id)).toEqual(ids.slice(0, 20));
  });

  test.each([1, 7, 25, 100])('with limit %i at most that many animals are returned', async (limit) => {
    const reply = await server.call('listPets', { query: { limit } });
    expect(reply.body).toHaveLength(Math.min(limit, 25));
  });

  test('with status only animals with that status are returned', async () => {
    const reply = await server.call('listPets', { query: { status: 'sold', limit: 100 } });
    expect(reply.body).toHaveLength(5);
    expect(new Set(reply.body.map((pet: { status: string }) => pet.status))).toEqual(new Set(['sold']));
    expect((await server.call('listPets', { query: { status: 'pending' } })).body).toEqual([]);
  });

  test('following Link rel=next visits every animal once, and the last page has none', async () => {
    const seen: number[] = [];
    let address: string | undefined = `${server.url}/v1/pets?limit=10`;
    for (let page = 0; address !== undefined && page < 10; page += 1) {
      const response: Response = await fetch(address, { headers: { authorization: `Bearer ${server.key}` } });
      const pets: { id: number }[] = JSON.parse(await response.text());
      seen.push(...pets.map((pet) => pet.id));
      address = nextLink(response.headers);
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => (seen[0] === undefined ? 0 : seen[0] + index)));
  });

  test('the next page keeps the filter, and a page that ends with the last animal has no next page', async () => {
    const first = await server.call('listPets', { query: { status: 'sold', limit: 4 } });
    const next = new URL(nextLink(first.headers) ?? '');
    expect(next.searchParams.get('status')).toBe('sold');
    const second = await server.call('listPets', { query: next.search.slice(1) });
    expect(second.body).toHaveLength(1);
    expect(second.headers.get('link')).toBeNull();
    const all = await server.call('listPets', { query: { status: 'sold', limit: 5 } });
    expect(all.headers.get('link')).toBeNull();
  });

  test('HEAD returns the same headers as GET, and no body', async () => {
    const get = await server.call('listPets', { query: { limit: 3 } });
    const head = await server.call('listPets', { query: { limit: 3 }, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const name of ['content-type', 'content-length', 'link', 'x-ratelimit-limit', 'x-ratelimit-reset']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });
});

describe('400', () => {
  test.each([
    ['limit=0', 'query/limit'],
    ['limit=101', 'query/limit'],
    ['limit=-1', 'query/limit'],
    ['limit=', 'query/limit'],
    ['limit=abc', 'query/limit'],
    ['limit=1.0', 'query/limit'],
    ['limit=1e1', 'query/limit'],
    ['limit=0x10', 'query/limit'],
    ['limit=01', 'query/limit'],
    ['limit=%2B5', 'query/limit'],
    ['limit=%205', 'query/limit'],
    ['limit=1e999', 'query/limit'],
    ['limit=9007199254740993', 'query/limit'],
    ['limit=1&limit=2', 'query/limit'],
    ['status=lost', 'query/status'],
    ['status=Available', 'query/status'],
    ['status=sold&status=sold', 'query/status'],
    ['cursor=nonsense', 'query/cursor'],
    ['cursor=', 'query/cursor'],
    ['cursor=YWZ0ZXI6MDE', 'query/cursor'],
    // A cursor of listOrders.
    ['cursor=b3JkZXI6MjA', 'query/cursor'],
    ['offset=3', 'query/offset'],
    ['access_token=x', 'query/access_token'],
  ])('?%s is refused, naming %s', async (query, where) => {
    const reply = await server.call('listPets', { query });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(reply.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
  });
});

describeCommonResponses('listPets', {});
