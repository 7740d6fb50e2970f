import type { OrderStatus, PetStatus } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from './common-responses.ts';
import { newIdempotencyKey, startTestServer, type TestServer } from './harness.ts';

/** completeOrder and cancelOrder end an order in the same way, but set different statuses of the order and its animal. */
export function describeEndOfOrder(
  id: 'completeOrder' | 'cancelOrder',
  end: { order: OrderStatus; pet: PetStatus },
): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  describe('200', () => {
    test(`the order is ${end.order}, its animal ${end.pet}`, async () => {
      const order = await placeOrder(server);
      const response = await server.call(id, { path: { orderId: order.id } });
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ ...order, status: end.order });
      expect((await server.call('getPet', { path: { petId: order.petId } })).body.status).toBe(end.pet);
      expect((await server.call('getOrder', { path: { orderId: order.id } })).body).toEqual(response.body);
    });
  });

  describe('400', () => {
    test.each(['x', '1.0', '9007199254740993'])('orderId %s is not an exact integer', async (orderId) => {
      const response = await server.call(id, { path: { orderId } });
      expect([response.status, response.body.details[0].where]).toEqual([400, 'path/orderId']);
    });
  });

  describe('404', () => {
    test('no order has the ID', async () => {
      const response = await server.call(id, { path: { orderId: 999_999 } });
      expect([response.status, response.body.code]).toEqual([404, 'order_not_found']);
    });

    test('the order of another key looks as if it did not exist, and does not change', async () => {
      const order = await placeOrder(server);
      const key = await server.createKey();
      const response = await server.call(id, { path: { orderId: order.id }, key });
      expect([response.status, response.body.code]).toEqual([404, 'order_not_found']);
      expect((await server.call('getOrder', { path: { orderId: order.id } })).body.status).toBe('placed');
    });
  });

  describe('409', () => {
    test.each(['completeOrder', 'cancelOrder'] as const)('after %s the order cannot be ended again', async (before) => {
      const order = await placeOrder(server);
      const ended = await server.call(before, { path: { orderId: order.id } });
      const response = await server.call(id, { path: { orderId: order.id } });
      expect([response.status, response.body.code]).toEqual([409, 'order_not_placed']);
      expect(response.body.message).toContain(ended.body.status);
      expect((await server.call('getOrder', { path: { orderId: order.id } })).body).toEqual(ended.body);
    });

    test('of many simultaneous requests exactly one succeeds', async () => {
      const { id: orderId } = await placeOrder(server);
      const responses = await Promise.all(Array.from({ length: 20 }, () => server.call(id, { path: { orderId } })));
      expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
      expect(responses.filter((response) => response.body.code === 'order_not_placed')).toHaveLength(19);
    });
  });

  describe('422', () => {
    test('the Idempotency-Key of the same request to another operation is refused', async () => {
      const request = {
        path: { orderId: (await placeOrder(server)).id },
        headers: { 'idempotency-key': newIdempotencyKey() },
      };
      expect((await server.call(id === 'completeOrder' ? 'cancelOrder' : 'completeOrder', request)).status).toBe(200);
      const response = await server.call(id, request);
      expect([response.status, response.body.code]).toEqual([422, 'idempotency_key_reused']);
    });
  });

  describeCommonResponses(id, { path: { orderId: 1 } }, async (on) => ({
    first: { path: { orderId: (await placeOrder(on)).id } },
    other: { path: { orderId: (await placeOrder(on)).id } },
  }));
}

/** Adds an animal and orders it. */
export async function placeOrder(server: TestServer, key?: string): Promise<{ id: number; petId: number }> {
  const caller = key === undefined ? {} : { key };
  const pet = await server.call('createPet', { body: { name: 'Rex', categoryId: 3, status: 'available' }, ...caller });
  return (await server.call('createOrder', { body: { petId: pet.body.id }, ...caller })).body;
}
