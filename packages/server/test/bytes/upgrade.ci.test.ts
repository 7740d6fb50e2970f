import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSocket, parseResponses, received, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The headers that Java's HttpClient and `curl --http2` send with the first request on a connection. */
const h2c = [
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
];

function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${server.key}`, ...headers, '', ''].join('\r\n');
}

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
});
