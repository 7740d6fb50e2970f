import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { placeOrder } from '../../test/end-of-order.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function addPet(on = server): Promise<number> {
  return (await on.call('createPet', { body: { name: 'Rex', categoryId: 3, status: 'available' } })).body.id;
}

function remove(petId: number, headers: Record<string, string> = {}) {
  return server.call('deletePet', { path: { petId }, headers });
}

describe('204', () => {
  test('the animal can no longer be read, listed, changed or ordered', async () => {
    const [petId, other] = [await addPet(), await addPet()];
    const response = await remove(petId);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.get('content-type')).toBeNull();
    const path = { petId };
    expect((await server.call('getPet', { path })).status).toBe(404);
    expect((await server.call('listPets', { query: `id=${petId}&id=${other}` })).body).toMatchObject([{ id: other }]);
    const patch = { path, body: { name: 'Rexi' }, headers: { 'if-match': '*' } };
    expect((await server.call('updatePet', patch)).status).toBe(404);
    expect((await server.call('createOrder', { body: { petId } })).body.code).toBe('pet_not_found');
  });

  test('the ID of the newest animal is not reused', async () => {
    const petId = await addPet();
    expect((await remove(petId)).status).toBe(204);
    expect(await addPet()).toBe(petId + 1);
  });

  test.each(['completeOrder', 'cancelOrder'] as const)('after %s the order can still be read', async (end) => {
    const order = await placeOrder(server);
    const path = { orderId: order.id };
    const ended = await server.call(end, { path });
    expect((await remove(order.petId)).status).toBe(204);
    expect((await server.call('getOrder', { path })).body).toEqual(ended.body);
    expect((await server.call('listOrders', { query: { limit: 100 } })).body).toContainEqual(ended.body);
  });
});

describe('400', () => {
  test.each(['x', '1.0', '9007199254740993'])('petId %s is not an exact integer', async (petId) => {
    const response = await server.call('deletePet', { path: { petId } });
    expect([response.status, response.body.details[0].where]).toEqual([400, 'path/petId']);
  });
});

describe('404', () => {
  test('no animal has the ID, or the animal was deleted', async () => {
    const petId = await addPet();
    await remove(petId);
    for (const id of [petId, 0, 999_999]) {
      const response = await remove(id);
      expect([response.status, response.body.code]).toEqual([404, 'pet_not_found']);
    }
  });

  test('exactly one of many simultaneous deletions succeeds', async () => {
    const petId = await addPet();
    const responses = await Promise.all(Array.from({ length: 20 }, () => remove(petId)));
    expect(responses.filter((response) => response.status === 204)).toHaveLength(1);
    expect(responses.filter((response) => response.status === 404)).toHaveLength(19);
  });
});

describe('409', () => {
  test('an animal with a placed order of any key cannot be deleted until the order ends', async () => {
    const order = await placeOrder(server);
    for (const key of [server.key, await server.createKey()]) {
      const response = await server.call('deletePet', { path: { petId: order.petId }, key });
      expect([response.status, response.body.code]).toEqual([409, 'pet_has_order']);
    }
    expect((await server.call('getPet', { path: { petId: order.petId } })).body.status).toBe('pending');
    await server.call('cancelOrder', { path: { orderId: order.id } });
    expect((await remove(order.petId)).status).toBe(204);
  });

  test('if an animal is ordered and deleted at the same time, exactly one of the two succeeds', async () => {
    for (let round = 0; round < 10; round += 1) {
      const petId = await addPet();
      const calls = [() => server.call('createOrder', { body: { petId } }), () => remove(petId)];
      const responses = await Promise.all((round % 2 === 0 ? calls : calls.reverse()).map((call) => call()));
      const outcomes = responses.map((response) => `${response.status} ${response.body?.code}`).sort();
      expect([
        ['201 undefined', '409 pet_has_order'],
        ['204 undefined', '404 pet_not_found'],
      ]).toContainEqual(outcomes);
    }
  });
});

describe('412', () => {
  test('an animal that has changed since If-Match was read is not deleted', async () => {
    const petId = await addPet();
    const path = { petId };
    const etag = (await server.call('getPet', { path })).headers.get('etag') ?? '';
    const etagOfPage = (await server.call('listPets', { query: `id=${petId}` })).headers.get('etag') ?? '';
    await server.call('updatePet', { path, body: { name: 'Rexi' }, headers: { 'if-match': etag } });
    for (const outdated of [etag, etagOfPage]) {
      const response = await remove(petId, { 'if-match': outdated });
      expect([response.status, response.body.code]).toEqual([412, 'precondition_failed']);
    }
    const current = (await server.call('listPets', { query: `id=${petId}` })).headers.get('etag') ?? '';
    expect((await remove(petId, { 'if-match': current })).status).toBe(204);
  });
});

describeCommonResponses('deletePet', { path: { petId: 1 } }, async (on) => ({
  first: { path: { petId: await addPet(on) } },
  other: { path: { petId: await addPet(on) } },
}));
