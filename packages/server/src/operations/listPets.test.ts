import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function addPets(...pets: { name: string; categoryId?: number; status?: string }[]): Promise<number[]> {
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
  test('without limit at most 20 animals are returned, the oldest first', async () => {
    const pets = Array.from({ length: 25 }, (_, index) => ({
      name: `pet ${index}`,
      ...(index % 5 === 0 ? { status: 'sold' } : {}),
    }));
    const ids = await addPets(...pets);
    const response = await server.call('listPets');
    expect(response.body.map((pet: { id: number }) => pet.id)).toEqual(ids.slice(0, 20));
  });

  test.each([1, 7, 25, 100])('with limit %i at most that many animals are returned', async (limit) => {
    const response = await server.call('listPets', { query: { limit } });
    expect(response.body).toHaveLength(Math.min(limit, 25));
  });

  test('with status only animals with that status are returned', async () => {
    const response = await server.call('listPets', { query: { status: 'sold', limit: 100 } });
    expect(response.body).toHaveLength(5);
    expect(new Set(response.body.map((pet: { status: string }) => pet.status))).toEqual(new Set(['sold']));
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

  test('with `id` only the animals with these IDs are returned, the oldest first', async () => {
    const [first = 0, , third = 0] = (await server.call('listPets')).body.map((pet: { id: number }) => pet.id);
    const idsOf = async (query: string) =>
      (await server.call('listPets', { query })).body.map((pet: { id: number }) => pet.id);
    expect(await idsOf(`id=${third}`)).toEqual([third]);
    expect(await idsOf(`id=${third}&id=${first}&id=9007199254740991`)).toEqual([first, third]);
    expect(await idsOf('id=9007199254740991')).toEqual([]);
  });

  test('with categoryId only animals of that category are returned', async () => {
    const ids = await addPets(
      { name: 'a', categoryId: -5 },
      { name: 'b', categoryId: 5 },
      { name: 'c', categoryId: -5 },
    );
    const { body } = await server.call('listPets', { query: { categoryId: -5 } });
    expect(body.map((pet: { id: number }) => pet.id)).toEqual([ids[0], ids[2]]);
    expect((await server.call('listPets', { query: { categoryId: 6 } })).body).toEqual([]);
  });

  test('filters are combined, and the next page keeps all of them', async () => {
    const pet = { name: 'x', categoryId: 77, status: 'pending' };
    const ids = await addPets(pet, { ...pet, status: 'sold' }, pet, { ...pet, categoryId: 78 }, pet, pet);
    const wanted = [...ids.slice(0, 5)].reverse();
    const query = `${wanted.map((id) => `id=${id}`).join('&')}&categoryId=77&status=pending&limit=2`;
    const first = await server.call('listPets', { query });
    expect(first.body.map(({ id }: { id: number }) => id)).toEqual([ids[0], ids[2]]);
    const next = new URL(nextLink(first.headers) ?? '');
    expect(next.searchParams.getAll('id')).toEqual(wanted.map(String));
    expect([next.searchParams.get('categoryId'), next.searchParams.get('status')]).toEqual(['77', 'pending']);
    const second = await server.call('listPets', { query: next.search.slice(1) });
    expect(second.body.map(({ id }: { id: number }) => id)).toEqual([ids[4]]);
    expect(second.headers.get('link')).toBeNull();
  });

  test('100 IDs fit into a request', async () => {
    const query = Array.from({ length: 100 }, (_, index) => `id=${Number.MAX_SAFE_INTEGER - index}`).join('&');
    expect((await server.call('listPets', { query })).body).toEqual([]);
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
    ['limit=%2B5', 'query/limit'],
    ['limit=1&limit=2', 'query/limit'],
    ['status=lost', 'query/status'],
    ['status=Available', 'query/status'],
    ['status=sold&status=sold', 'query/status'],
    ['cursor=nonsense', 'query/cursor'],
    ['cursor=', 'query/cursor'],
    ['cursor=YWZ0ZXI6MDE', 'query/cursor'],
    // A cursor of listOrders.
    ['cursor=b3JkZXI6MjA', 'query/cursor'],
    ['id=', 'query/id'],
    ['id=0', 'query/id/0'],
    ['id=1&id=x', 'query/id/1'],
    ['id=1&id=', 'query/id/1'],
    ['id=1,2', 'query/id'],
    ['id=01', 'query/id'],
    ['id=1&id=1e1', 'query/id/1'],
    ['id=9007199254740993', 'query/id'],
    ['id=1&id=1', 'query/id'],
    ['id[]=1', 'query/id[]'],
    ['id[0]=1&id[1]=2', 'query/id[0]'],
    ['id=1&id%5B1%5D=2', 'query/id[1]'],
    ['id[a]=1', 'query/id[a]'],
    ['id=1&id[]=0x10', 'query/id[]'],
    [Array.from({ length: 101 }, (_, index) => `id=${index + 1}`).join('&'), 'query/id'],
    ['categoryId=', 'query/categoryId'],
    ['categoryId=1.0', 'query/categoryId'],
    ['categoryId=1&categoryId=2', 'query/categoryId'],
    ['categoryId=9007199254740992', 'query/categoryId'],
    ['offset=3', 'query/offset'],
    ['access_token=x', 'query/access_token'],
  ])('?%s is refused, naming %s', async (query, where) => {
    const response = await server.call('listPets', { query });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(response.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
  });
});

describeCommonResponses('listPets', {});
