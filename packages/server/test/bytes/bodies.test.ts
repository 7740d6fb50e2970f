import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseResponse, parseResponses, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const animal = '{"name":"x","categoryId":1}';

describe('content types', () => {
  /** The verdict on a body that is sent with exactly these headers. */
  async function under(...headers: string[]): Promise<string[]> {
    const all = [
      `POST /v1/pets HTTP/1.1`,
      'Host: a',
      'Connection: close',
      `Authorization: Bearer ${server.key}`,
      ...headers,
    ];
    const bytes = `${all.join('\r\n')}\r\nContent-Length: ${animal.length}\r\n\r\n${animal}`;
    return verdicts(parseResponses(await sendBytes(server.url, bytes)));
  }
  const json = 'Content-Type: application/json';
  const refused = ['415 unsupported_media_type'];

  test.each([
    ['none', []],
    ['an empty one', ['Content-Type:']],
    ['text', ['Content-Type: text/plain']],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['multipart', ['Content-Type: multipart/form-data; boundary=x']],
    ['a type that merely begins like it', ['Content-Type: application/jsonp']],
    ['a suffix', ['Content-Type: application/vnd.api+json']],
    ['a wildcard', ['Content-Type: application/*']],
    ['a list', ['Content-Type: application/json, text/plain']],
    ['two headers', [json, 'Content-Type: text/plain']],
    ['two equal headers', [json, json]],
    ['UTF-16', [`${json}; charset=utf-16`]],
    ['Latin-1', [`${json}; charset=iso-8859-1`]],
    ['UTF-7', [`${json}; charset=utf-7`]],
    ['two charsets', [`${json}; charset=utf-8; charset=utf-16`]],
    ['a charset after a space', [`${json}; charset =utf-16`]],
    ['a charset without a closing quote', [`${json}; charset="utf-8`]],
  ])('%s: 415', async (_, headers) => {
    expect(await under(...headers)).toEqual(refused);
  });

  test.each([
    'application/json',
    'APPLICATION/JSON',
    ' application/json ;charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json; v=1',
  ])('%j: 201', async (type) => {
    expect(await under(`Content-Type: ${type}`)).toEqual(['201']);
  });
});

test('nothing from the refused requests above is stored', async () => {
  const { body } = await server.call('listPets', { query: { limit: 100 } });
  expect(new Set(body.map((pet: { name: string }) => pet.name))).toEqual(new Set(['x']));
});

test('a request whose body turns out to be malformed is refused and changes nothing, or succeeds: never both', async () => {
  await using store = await startTestServer();
  const pet = await store.call('createPet', { body: { name: 'Rex', categoryId: 1, status: 'available' } });
  const order = await store.call('createOrder', { body: { petId: pet.body.id } });
  const path = `/v1/store/orders/${order.body.id}/cancel`;
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${store.key}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const response = parseResponse(await sendBytes(store.url, `${head}ZZ\r\n`));
  const after = await store.call('getOrder', { path: { orderId: order.body.id } });
  expect([
    [200, 'cancelled'],
    [400, 'placed'],
  ]).toContainEqual([response.status, after.body.status]);
});
