import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { placeOrder } from '../../test/end-of-order.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('200', () => {
  test('returns the order', async () => {
    const order = await placeOrder(server);
    const response = await server.call('getOrder', { path: { orderId: order.id } });
    expect([response.status, response.body]).toEqual([200, order]);
  });
});

describe('304', () => {
  test('a caller with the current ETag gets the order again only after it has changed', async () => {
    const path = { orderId: (await placeOrder(server)).id };
    const headers = { 'if-none-match': (await server.call('getOrder', { path })).headers.get('etag') ?? '' };
    const unchanged = await server.call('getOrder', { path, headers });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const { body: completed } = await server.call('completeOrder', { path });
    const changed = await server.call('getOrder', { path, headers });
    expect([changed.status, changed.body]).toEqual([200, completed]);
  });
});

describe('400', () => {
  test.each(['x', '01', '1e0'])('orderId %s is not an exact integer in plain digits', async (orderId) => {
    const response = await server.call('getOrder', { path: { orderId } });
    expect([response.status, response.body.details[0].where]).toEqual([400, 'path/orderId']);
  });
});

describe('404', () => {
  test('no order has the ID, or the order belongs to another key', async () => {
    const order = await placeOrder(server, await server.createKey());
    const missing = await server.call('getOrder', { path: { orderId: 999_999 } });
    const foreign = await server.call('getOrder', { path: { orderId: order.id } });
    expect([missing.status, missing.body.code]).toEqual([404, 'order_not_found']);
    expect(foreign.body).toEqual({ ...missing.body, message: missing.body.message.replace('999999', `${order.id}`) });
  });
});

describeCommonResponses('getOrder', { path: { orderId: 1 } });
