import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { NOON, startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function addPet(on: TestServer, status?: string): Promise<number> {
  const body = { name: 'Rex', categoryId: 3, ...(status === undefined ? {} : { status }) };
  return (await on.call('createPet', { body })).body.id;
}

async function statusOf(petId: number): Promise<string> {
  return (await server.call('getPet', { path: { petId } })).body.status;
}

describe('201', () => {
  test('reserves an available animal, and Location is the URL of the order', async () => {
    const petId = await addPet(server, 'available');
    const response = await server.call('createOrder', { body: { petId } });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      petId,
      status: 'placed',
      createdAt: new Date(NOON).toISOString(),
      expiresAt: new Date(NOON + 86_400_000).toISOString(),
    });
    expect(await statusOf(petId)).toBe('pending');
    const order = await fetch(response.headers.get('location') ?? '', {
      headers: { authorization: `Bearer ${server.key}` },
    });
    expect(await order.json()).toEqual(response.body);
  });

  test('has X-Stability: beta on every response', async () => {
    const responses = [
      await server.call('createOrder', { body: { petId: await addPet(server, 'available') } }),
      await server.call('createOrder', { body: {} }),
      await server.call('createOrder', { key: null }),
      await server.call('listOrders'),
    ];
    expect(responses.map((response) => response.headers.get('x-stability'))).toEqual(Array(4).fill('beta'));
    expect((await server.call('listPets')).headers.get('x-stability')).toBeNull();
  });

  test('of 100 simultaneous orders for one animal exactly one is placed', async () => {
    const petId = await addPet(server, 'available');
    const keys = await Promise.all([server.createKey(), server.createKey(), server.createKey()]);
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        server.call('createOrder', { body: { petId }, key: keys[index % keys.length] ?? null }),
      ),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.body.code === 'pet_not_available')).toHaveLength(99);
    expect(await statusOf(petId)).toBe('pending');
  });
});

describe('400', () => {
  test.each([
    ['{}', 'body/petId'],
    ['{"petId":"1"}', 'body/petId'],
    ['{"petId":1.5}', 'body/petId'],
    ['{"petId":0}', 'body/petId'],
    ['{"petId":9007199254740993}', 'body/petId'],
    ['{"petId":1,"status":"completed"}', 'body/status'],
  ])('%s is refused, naming %s', async (body, where) => {
    const response = await server.call('createOrder', { body });
    expect([response.status, response.body.details[0].where]).toEqual([400, where]);
  });
});

describe('404', () => {
  test('no animal has the ID', async () => {
    const response = await server.call('createOrder', { body: { petId: 999_999 } });
    expect([response.status, response.body.code]).toEqual([404, 'pet_not_found']);
  });
});

describe('409', () => {
  test.each(['pending', 'sold', undefined])(
    'an animal that is %s is not available, and does not change',
    async (status) => {
      const petId = await addPet(server, status);
      const response = await server.call('createOrder', { body: { petId } });
      expect([response.status, response.body.code]).toEqual([409, 'pet_not_available']);
      expect(response.body.message).toContain(status ?? 'no status');
      expect(await statusOf(petId)).toBe(status);
    },
  );
});

describeCommonResponses('createOrder', { body: { petId: 1 } }, async (on) => ({
  first: { body: { petId: await addPet(on, 'available') } },
  other: { body: { petId: await addPet(on, 'available') } },
}));
