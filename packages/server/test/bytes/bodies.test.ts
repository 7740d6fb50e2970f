import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPieces } from '../../../service/src/middleware/read-body.ts';
import { ApiError } from '../../../service/src/openapi/api-error.ts';
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

let tell: (outcome: unknown) => void = () => {};

const reading = createServer(async (request, response) => {
  const read = async () => {
    const pieces: unknown[] = [];
    for await (const piece of readPieces(request, { kind: 'text', maxBytes: 5 })) pieces.push(piece);
    return pieces.join('');
  };
  const outcome = await read().catch((error: unknown) => (error instanceof ApiError ? error.code : error));
  response.end();
  tell(outcome);
});

beforeAll(async () => {
  await once(reading.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  reading.close();
});

/** Reads a request with these headers and this body. The caller sends nothing after it. */
async function readingOf(headers: string, ...parts: (string | Buffer)[]): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  tell = resolve;
  const { port }: AddressInfo = Object(reading.address());
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
  socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
  const outcome = await promise;
  socket.destroy();
  return outcome;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('a streamed body', () => {
  test('is passed on as it was sent, also if a character is in two chunks', async () => {
    const cat = Buffer.from('🐈').toString('latin1');
    const bytes = ['a', cat.slice(0, 2), cat.slice(2)].map((part) => Buffer.from(chunk(part), 'latin1'));
    expect(await readingOf('Transfer-Encoding: chunked', ...bytes, '0\r\n\r\n')).toBe('a🐈');
  });

  test('may have as many bytes as the contract allows, and no more', async () => {
    expect(await readingOf('Transfer-Encoding: chunked', chunk('12345'), '0\r\n\r\n')).toBe('12345');
    expect(await readingOf('Transfer-Encoding: chunked', chunk('123'), chunk('456'), '0\r\n\r\n')).toBe(
      'body_too_large',
    );
  });

  test('is refused if it is not UTF-8', async () => {
    expect(await readingOf('Content-Length: 1', Buffer.from([0xff]))).toBe('invalid_request');
  });
});
