import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Connections } from '../../../service/src/http/connection.ts';
import { createServer, listen } from '../../../service/src/http/server.ts';
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
    const bytes = get('/v1/pets/0', 'Connection: Upgrade', `Upgrade: ${protocol}`) + last();
    const responses = parseResponses(await sendBytes(server.url, bytes));
    expect(verdicts(responses)).toEqual(['404 pet_not_found', '200']);
    expect(responses.map(({ headers }) => headers.get('connection'))).toEqual(['keep-alive', 'close']);
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

  test('no request after it is lost, even if both are sent in one write and with a body', async () => {
    const bytes = [
      get('/v1/pets/0'),
      create(length, ...h2c) + animal,
      get('/v1/pets/0', ...h2c),
      create('Transfer-Encoding: chunked', ...h2c),
      `${animal.length.toString(16)}\r\n${animal}\r\n0\r\n\r\n`,
      create(length) + animal,
      last(),
    ];
    const expected = ['404 pet_not_found', '201', '404 pet_not_found', '201', '201', '200'];
    expect(verdicts(parseResponses(await sendBytes(server.url, bytes.join(''))))).toEqual(expected);
  });

  test('a request that arrives in many pieces is read completely', async () => {
    const socket = openSocket(server.url);
    socket.setNoDelay(true);
    const all = received(socket);
    const bytes = create(length, ...h2c) + animal + create(length, ...h2c) + animal + last();
    for (let start = 0; start < bytes.length; start += 37) {
      socket.write(bytes.slice(start, start + 37));
      await setTimeout(1);
    }
    expect(verdicts(parseResponses(await all))).toEqual(['201', '201', '200']);
  });

  test('a caller that expects 100 Continue gets it', async () => {
    const socket = openSocket(server.url);
    const all = received(socket);
    socket.write(create(length, 'Expect: 100-continue', ...h2c));
    expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toMatch(/^HTTP\/1\.1 100 Continue/);
    socket.write(animal + last());
    expect(verdicts(parseResponses(await all))).toEqual(['201', '200']);
  });

  test('a caller that closes its side right after the request still gets the response', async () => {
    const socket = openSocket(server.url, { allowHalfOpen: true });
    const all = received(socket);
    socket.end(get('/v1/pets/0') + get('/v1/pets/0', ...h2c));
    expect(verdicts(parseResponses(await all))).toEqual(['404 pet_not_found', '404 pet_not_found']);
  });

  test('a body whose end is ambiguous is refused as without Upgrade', async () => {
    const bytes = create(length, 'Transfer-Encoding: chunked', ...h2c) + animal + last();
    expect(verdicts(parseResponses(await sendBytes(server.url, bytes)))).toEqual(['400 malformed_http']);
  });

  test('two hundred of them on one connection are all answered', async () => {
    const bytes = get('/v1/pets/0', ...h2c).repeat(200) + last();
    expect(parseResponses(await sendBytes(server.url, bytes))).toHaveLength(201);
  });

  test('two hundred of them leave no listener on the connection', async () => {
    const ofSocket: number[] = [];
    const count = (socket: Socket) => socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
    const respond = (request: IncomingMessage, response: ServerResponse) => {
      ofSocket.push(count(request.socket));
      setImmediate(() => response.end());
    };
    const plain = createServer((request, response) => connections.accept(request, response, respond));
    const connections = new Connections(plain, { timeouts: { response: 10_000, lastRequest: 0 }, largeBody: 65_536 });
    const port = await listen(plain, 0, '127.0.0.1');
    await sendBytes(`http://127.0.0.1:${port}`, get('/', ...h2c).repeat(200) + last());
    await connections.drain(0);
    expect(ofSocket).toHaveLength(201);
    expect(ofSocket.at(-1)).toBe(ofSocket[1]);
  });

  test('one after a chunked request that the app does not read is answered', async () => {
    const chunked = `POST /none HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`;
    const bytes = chunked + get('/v1/pets/0', ...h2c) + last();
    const [, ...others] = verdicts(parseResponses(await sendBytes(server.url, bytes)));
    expect(others).toEqual(['404 pet_not_found', '200']);
  });
});
