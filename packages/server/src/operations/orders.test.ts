import { limits } from '@animal-store/contract';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { placeOrder } from '../../test/end-of-order.ts';
import { NOON, startTestServer, type TestServer } from '../../test/harness.ts';

const LIFETIME = limits.orderSeconds * 1_000;

let server: TestServer;
let lost: string;
beforeEach(async () => {
  server = await startTestServer();
  lost = await server.createKey();
});
afterEach(() => server.stop());

async function statusOf(petId: number): Promise<string> {
  return (await server.call('getPet', { path: { petId } })).body.status;
}

async function orderOf(orderId: number) {
  return server.call('getOrder', { path: { orderId }, key: lost });
}

/** What another key may do with the animal of an order that has expired. */
const uses = [
  ['createOrder', (petId: number) => ({ body: { petId } }), 201],
  ['deletePet', (petId: number) => ({ path: { petId } }), 204],
  ['updatePet', (petId: number) => ({ path: { petId }, headers: { 'if-match': '*' }, body: { status: 'sold' } }), 200],
] as const;

describe('an order of a key that was lost', () => {
  test.each(uses)('no longer prevents %s once it has expired', async (id, partsOf, status) => {
    const { id: orderId, petId } = await placeOrder(server, lost);
    server.clock.now = NOON + LIFETIME - 1;
    expect((await server.call(id, partsOf(petId))).status).toBe(409);
    const before = await orderOf(orderId);
    expect(before.body.status).toBe('placed');
    server.clock.now = NOON + LIFETIME;
    expect((await server.call(id, partsOf(petId))).status).toBe(status);
    const after = await orderOf(orderId);
    expect(after.body).toEqual({ ...before.body, status: 'expired' });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('is listed as expired, and as nothing else', async () => {
    const { id, petId } = await placeOrder(server, lost);
    server.clock.now = NOON + LIFETIME;
    await server.call('createOrder', { body: { petId } });
    const listed = async (status: string) => {
      const { body } = await server.call('listOrders', { query: { status }, key: lost });
      return body.map((order: { id: number }) => order.id);
    };
    expect([await listed('expired'), await listed('placed')]).toEqual([[id], []]);
  });

  test.each(['completeOrder', 'cancelOrder'] as const)('is refused to %s once it has expired', async (end) => {
    const { id: orderId, petId } = await placeOrder(server, lost);
    server.clock.now = NOON + LIFETIME;
    expect((await server.call('createOrder', { body: { petId } })).status).toBe(201);
    const { status, body } = await server.call(end, { path: { orderId }, key: lost });
    expect([status, body.code]).toEqual([409, 'order_not_placed']);
    expect(body.message).toBe(`Order ${orderId} has expired and can no longer be changed.`);
    // The order of the other key still reserves the animal.
    expect(await statusOf(petId)).toBe('pending');
  });

  test('can be completed until something needs its animal', async () => {
    const { id: orderId, petId } = await placeOrder(server, lost);
    server.clock.now = NOON + LIFETIME;
    expect((await server.call('completeOrder', { path: { orderId }, key: lost })).status).toBe(200);
    expect(await statusOf(petId)).toBe('sold');
  });

  test('stays expired, with its animal free, if the clock jumps back', async () => {
    const { id: orderId, petId } = await placeOrder(server, lost);
    server.clock.now = NOON + LIFETIME;
    const headers = { 'if-match': '*' };
    await server.call('updatePet', { path: { petId }, headers, body: { status: 'available' } });
    server.clock.now = NOON;
    expect((await orderOf(orderId)).body.status).toBe('expired');
    expect((await server.call('createOrder', { body: { petId } })).status).toBe(201);
  });

  test('of 20 simultaneous orders of others exactly one is placed', async () => {
    const { petId } = await placeOrder(server, lost);
    server.clock.now = NOON + LIFETIME;
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => server.call('createOrder', { body: { petId } })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});
