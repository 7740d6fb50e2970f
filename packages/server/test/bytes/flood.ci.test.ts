import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSocket, parseResponses, received, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startSlowServer, startTestServer, type TestServer } from '../harness.ts';

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
const last = get('/healthz', 'Connection: close');
const numbered = (count: number, path = '/healthz') =>
  Array.from({ length: count }, (_, index) => get(path, `X-Request-Id: n${index}`));
const ids = (bytes: string) => parseResponses(bytes).map(({ headers }) => headers.get('x-request-id'));
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

const flood = (server: TestServer) => sendBytes(server.url, numbered(100).join('') + last);

const slowList = ({ key }: TestServer) => get('/v1/pets', `Authorization: Bearer ${key}`, `X-Pad: ${'x'.repeat(300)}`);

describe('a flood on another connection', () => {
  test('does not stop a connection whose caller reads its responses late', async () => {
    await using server = await startTestServer();
    const socket = openSocket(server.url).pause();
    const all = received(socket);
    socket.pause();
    for (let count = 0; count < 60; count += 1) {
      socket.write(get('/openapi.json'));
      await setTimeout(5);
    }
    await flood(server);
    socket.resume();
    await setTimeout(300);
    socket.write(last);
    expect(parseResponses(await all)).toHaveLength(61);
  });

  test('lets complete requests wait longer than headers may take', async () => {
    await using slow = await startSlowServer({ timeouts: { headers: 200 } });
    await flood(slow);
    const pad = `X-Pad: ${'x'.repeat(300)}`;
    const all = sendBytes(
      slow.url,
      slowList(slow) + get('/healthz', pad).repeat(3) + get('/healthz', pad, 'Connection: close'),
    );
    await setTimeout(1_500);
    slow.answer();
    expect(verdicts(parseResponses(await all))).toEqual(Array(5).fill('200'));
  });
});

describe('after a flood', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await flood(server);
  });
  afterAll(() => server.stop());

  test('5,000 requests are answered in their order', async () => {
    expect(ids(await sendBytes(server.url, numbered(5_000).join('') + last)).slice(0, -1)).toEqual(names(5_000));
  });

  test('a caller that first reads nothing gets all responses', async () => {
    const socket = openSocket(server.url);
    const all = received(socket);
    socket.pause();
    socket.write(numbered(200, '/openapi.json').join('') + last);
    await setTimeout(300);
    socket.resume();
    expect(ids(await all).slice(0, -1)).toEqual(names(200));
  });
});
