import { limits } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { newIdempotencyKey, startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const rex = { name: 'Rex', categoryId: 3, status: 'available' };

async function countPets(): Promise<number> {
  return (await server.call('listPets', { query: { limit: 100 } })).body.length;
}

describe('201', () => {
  test('returns the animal with its ID, and Location is its URL', async () => {
    const response = await server.call('createPet', { body: rex });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ id: expect.any(Number), ...rex });
    const location = response.headers.get('location') ?? '';
    expect(location).toBe(`${server.url}/v1/pets/${response.body.id}`);
    const found = await fetch(location, { headers: { authorization: `Bearer ${server.key}` } });
    expect(await found.json()).toEqual(response.body);
  });

  test('an omitted status stays absent', async () => {
    const { body } = await server.call('createPet', { body: { name: 'Mia', categoryId: 7 } });
    expect(body).toEqual({ id: body.id, name: 'Mia', categoryId: 7 });
    expect((await server.call('getPet', { path: { petId: body.id } })).body).toEqual(body);
  });

  test.each([
    ['one character', 'x'],
    ['255 characters', 'é'.repeat(255)],
    ['255 characters outside the basic plane', '🦄'.repeat(255)],
    ['quotes and backslashes', `"'\\ --`],
    ['right-to-left text', 'كلب'],
    ['spaces', '  '],
    ['the name of a property that every object has', '__proto__'],
  ])('a name of %s is stored as sent', async (_, name) => {
    const { status, body } = await server.call('createPet', { body: { name, categoryId: 1 } });
    expect(status).toBe(201);
    expect((await server.call('getPet', { path: { petId: body.id } })).body.name).toBe(name);
  });

  test.each(['9007199254740991', '-9007199254740991', '0', '1.0', '1e2', '-0'])(
    'the categoryId %s is an exact integer',
    async (literal) => {
      const { status, body } = await server.call('createPet', { body: `{"name":"x","categoryId":${literal}}` });
      expect(status).toBe(201);
      expect(body.categoryId).toBe(Number(literal) + 0);
    },
  );
});

describe('201 with an Idempotency-Key', () => {
  test('a retry adds no second animal, even with another order of properties', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const first = await server.call('createPet', { body: rex, headers });
    const before = await countPets();
    const again = await server.call('createPet', {
      body: '{ "status": "available", "categoryId": 3, "name": "Rex" }',
      headers,
    });
    expect(again.text).toBe(first.text);
    expect(await countPets()).toBe(before);
  });

  test('after 24 hours the key is free again', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const first = await server.call('createPet', { body: rex, headers });
    const now = server.clock.now;
    server.clock.now = now + limits.idempotencySeconds * 1_000;
    expect((await server.call('createPet', { body: rex, headers })).body.id).toBe(first.body.id);
    server.clock.now += 1;
    expect((await server.call('createPet', { body: rex, headers })).body.id).not.toBe(first.body.id);
    server.clock.now = now;
  });

  test('a refused request is not stored, so it may be corrected under the same key', async () => {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    expect((await server.call('createPet', { body: { name: 'x' }, headers })).status).toBe(400);
    expect((await server.call('createPet', { body: rex, headers })).status).toBe(201);
  });
});

describe('400', () => {
  test.each([
    ['{"categoryId":1}', 'body/name'],
    ['{"name":"x"}', 'body/categoryId'],
    ['{"name":"","categoryId":1}', 'body/name'],
    [`{"name":"${'x'.repeat(256)}","categoryId":1}`, 'body/name'],
    ['{"name":"a\\u0000b","categoryId":1}', 'body/name'],
    ['{"name":"a\\nb","categoryId":1}', 'body/name'],
    ['{"name":"\\ud800","categoryId":1}', 'body/name'],
    ['{"name":7,"categoryId":1}', 'body/name'],
    ['{"name":null,"categoryId":1}', 'body/name'],
    ['{"name":"x","categoryId":"1"}', 'body/categoryId'],
    ['{"name":"x","categoryId":1.5}', 'body/categoryId'],
    ['{"name":"x","categoryId":true}', 'body/categoryId'],
    ['{"name":"x","categoryId":9007199254740992}', 'body/categoryId'],
    ['{"name":"x","categoryId":1,"status":"lost"}', 'body/status'],
    ['{"name":"x","categoryId":1,"status":null}', 'body/status'],
    ['{"name":"x","categoryId":1,"id":5}', 'body/id'],
    ['{"name":"x","categoryId":1,"__proto__":{"status":"sold"}}', 'body/__proto__'],
    ['{"name":"x","categoryId":1,"":5}', 'body/'],
    ['[]', 'body'],
    ['null', 'body'],
    ['"Rex"', 'body'],
  ])('%s is refused, naming %s, and nothing is stored', async (body, where) => {
    const before = await countPets();
    const response = await server.call('createPet', { body });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    expect(response.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
    expect(await countPets()).toBe(before);
  });
});

describeCommonResponses('createPet', { body: rex }, async () => ({
  first: { body: rex },
  other: { body: { ...rex, name: 'Rexi' } },
}));
