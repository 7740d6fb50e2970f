import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { placeOrder } from '../../test/end-of-order.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

type Order = { id: number; status: string };

describe('200', () => {
  test('a key sees its own orders only, the oldest first', async () => {
    const [mine, other] = [await server.createKey(), await server.createKey()];
    const orders = [await placeOrder(server, mine), await placeOrder(server, other), await placeOrder(server, mine)];
    expect((await server.call('listOrders', { key: mine })).body).toEqual([orders[0], orders[2]]);
    expect((await server.call('listOrders', { key: other })).body).toEqual([orders[1]]);
    expect((await server.call('listOrders', { key: await server.createKey() })).body).toEqual([]);
  });

  test('with status every returned order has it', async () => {
    const key = await server.createKey();
    const orders = [await placeOrder(server, key), await placeOrder(server, key), await placeOrder(server, key)];
    await server.call('completeOrder', { key, path: { orderId: orders[0]?.id ?? 0 } });
    await server.call('cancelOrder', { key, path: { orderId: orders[1]?.id ?? 0 } });
    for (const [index, status] of ['completed', 'cancelled', 'placed'].entries()) {
      const { body } = await server.call('listOrders', { key, query: { status } });
      expect(body.map((order: Order) => [order.id, order.status])).toEqual([[orders[index]?.id, status]]);
    }
  });

  test('following Link rel=next visits every order of the filter once', async () => {
    const key = await server.createKey();
    const orders: { id: number }[] = [];
    for (let count = 0; count < 7; count += 1) orders.push(await placeOrder(server, key));
    const seen: number[] = [];
    let query: string | undefined = 'limit=3&status=placed';
    while (query !== undefined && seen.length < 10) {
      const response = await server.call('listOrders', { key, query });
      seen.push(...response.body.map((order: Order) => order.id));
      query = /orders\?([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(orders.map((order) => order.id));
  });
});

describe('304', () => {
  test('a caller with the current ETag gets the orders again only after another one was placed', async () => {
    const key = await server.createKey();
    const headers = { 'if-none-match': (await server.call('listOrders', { key })).headers.get('etag') ?? '' };
    const unchanged = await server.call('listOrders', { key, headers });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const order = await placeOrder(server, key);
    const changed = await server.call('listOrders', { key, headers });
    expect([changed.status, changed.body]).toEqual([200, [order]]);
  });
});

describe('400', () => {
  test.each([
    ['limit=0', 'query/limit'],
    ['limit=101', 'query/limit'],
    ['status=available', 'query/status'],
    ['cursor=x', 'query/cursor'],
    // A cursor of listPets.
    ['cursor=YWZ0ZXI6MjA', 'query/cursor'],
    ['petId=1', 'query/petId'],
  ])('?%s is refused, naming %s', async (query, where) => {
    const response = await server.call('listOrders', { query });
    expect([response.status, response.body.details[0].where]).toEqual([400, where]);
  });
});

describeCommonResponses('listOrders', {});
