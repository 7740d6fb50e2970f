import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSocket, parseResponses, received, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const animal = '{"name":"x","categoryId":1}';

/** The headers that Java's HttpClient and `curl --http2` send with the first request on a connection. */
const h2c = [
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
];

function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${server.key}`, ...headers, '', ''].join('\r\n');
}

function create(...headers: string[]): string {
  const own = ['Content-Type: application/json', ...headers, '', ''];
  return ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${server.key}`, ...own].join('\r\n');
}

const length = `Content-Length: ${animal.length}`;
const last = () => get('/healthz', 'Connection: close');

describe('RFC 9110 7.8: the server ignores Upgrade and keeps the connection', () => {
  test.each(['h2c', 'websocket', 'TLS/1.0', 'HTTP/2.0'])('for Upgrade: %s', async (protocol) => {
    const bytes = get('/v1/pets/0', 'Connection: Upgrade, close', `Upgrade: ${protocol}`);
    expect(verdicts(parseResponses(await sendBytes(server.url, bytes)))).toEqual(['404 pet_not_found']);
  });

  test.each<[string, () => string]>([
    ['a page', () => get('/healthz', ...h2c)],
    [
      'a preflight',
      () => `OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nAccess-Control-Request-Method: GET\r\n${h2c.join('\r\n')}\r\n\r\n`,
    ],
    ['OPTIONS', () => get('/v1/pets', ...h2c).replace('GET', 'OPTIONS')],
    ['a HEAD request', () => get('/healthz', ...h2c).replace('GET', 'HEAD')],
    ['a 401', () => `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${h2c.join('\r\n')}\r\n\r\n`],
  ])('a second request, sent after the response to %s, is answered', async (_, first) => {
    const socket = openSocket(server.url);
    const all = received(socket);
    socket.write(first());
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(last());
    expect((await all).match(/HTTP\/1\.1 \d+/g)).toHaveLength(2);
  });

  test('its body is read, whole and in chunks', async () => {
    const chunk = `${animal.length.toString(16)}\r\n${animal}\r\n0\r\n\r\n`;
    for (const bytes of [create(length, ...h2c) + animal, create('Transfer-Encoding: chunked', ...h2c) + chunk]) {
      const socket = openSocket(server.url);
      const all = received(socket);
      socket.write(bytes);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.write(last());
      expect(verdicts(parseResponses(await all))).toEqual(['201', '200']);
    }
  });

  test('it may arrive in many pieces', async () => {
    const socket = openSocket(server.url);
    socket.setNoDelay(true);
    const all = received(socket);
    const bytes = create(length, 'Connection: close', ...h2c) + animal;
    for (let start = 0; start < bytes.length; start += 37) {
      socket.write(bytes.slice(start, start + 37));
      await setTimeout(1);
    }
    expect(verdicts(parseResponses(await all))).toEqual(['201']);
  });

  test('a caller that expects 100 Continue gets it', async () => {
    const socket = openSocket(server.url, { allowHalfOpen: true });
    const all = received(socket);
    socket.write(create(length, 'Expect: 100-continue', ...h2c));
    expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toMatch(/^HTTP\/1\.1 100 Continue/);
    socket.end(animal);
    expect(verdicts(parseResponses(await all))).toEqual(['201']);
  });

  test('a caller that closes its side right after the request still gets the response', async () => {
    const socket = openSocket(server.url, { allowHalfOpen: true });
    const all = received(socket);
    socket.end(get('/v1/pets/0') + get('/v1/pets/0', ...h2c));
    expect(verdicts(parseResponses(await all))).toEqual(['404 pet_not_found', '404 pet_not_found']);
  });

  test('a body whose end is ambiguous is refused as without Upgrade', async () => {
    const bytes = create(length, 'Transfer-Encoding: chunked', ...h2c) + animal;
    expect(verdicts(parseResponses(await sendBytes(server.url, bytes)))).toEqual(['400 malformed_http']);
  });
});
