import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../testing/src/child.ts';
import { openSocket, parseResponses, received } from '../../testing/src/service/wire.ts';
import { requestsParsed, startTestServer, type TestServer } from './harness.ts';

let server: TestServer;
afterEach(() => server.stop());

/** Resolves once a server that has begun to stop accepts no more connections. */
async function stoppedListening(): Promise<void> {
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = openSocket(server.url);
      socket.once('connect', () => {
        socket.destroy();
        resolve(false);
      });
      socket.once('error', () => resolve(true));
    });
  await eventually(isRefused, () => 'The server still listens.');
}

function request(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
}

/** Opens a connection, and resolves when the server has answered a first request on it. */
async function openedConnection() {
  const socket = openSocket(server.url);
  socket.on('error', () => {});
  socket.write(request('GET /healthz'));
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

describe('a server that stops', () => {
  test.each<[string, () => string]>([
    ['an operation', () => request('GET /v1/pets', `Authorization: Bearer ${server.key}`)],
    ['a 401', () => request('GET /v1/pets')],
    ['a 404', () => request('GET /none')],
    ['/healthz', () => request('GET /healthz')],
    ['/readyz', () => request('GET /readyz')],
    ['/openapi.json', () => request('GET /openapi.json')],
    ['/openapi.yaml', () => request('HEAD /openapi.yaml')],
    ['an unknown page', () => request('GET /docs/none')],
    ['a redirect', () => request('GET /docs')],
    ['a preflight', () => request('OPTIONS /v1/pets', 'Access-Control-Request-Method: GET')],
    ['OPTIONS', () => request('OPTIONS /v1/pets', `Authorization: Bearer ${server.key}`)],
    ['a refused body', () => request('POST /v1/pets', 'Content-Length: 100')],
    ['an expectation', () => request('GET /healthz', 'Expect: 100-continue')],
    ['Upgrade', () => request('GET /healthz', 'Connection: Upgrade', 'Upgrade: h2c')],
    ['a request that is not HTTP', () => 'NONSENSE\r\n\r\n'],
    ['CONNECT', () => request('CONNECT a:80')],
  ])('sends Connection: close in its response to %s on a connection that was idle', async (_, bytes) => {
    // Long, because a busy machine may need a while to send the request. The stop ends as soon as it is answered.
    server = await startTestServer({ timeouts: { lastRequest: 60_000 } });
    const socket = await openedConnection();
    const response = received(socket);
    const stopped = server.stop();
    await stoppedListening();
    socket.write(bytes());
    expect(await response).toMatch(/^HTTP\/1\.1 \d+ .*\r\nConnection: close\r\n/s);
    await stopped;
  });

  test('sends it in the response to a large body that was still arriving', async () => {
    server = await startTestServer();
    const socket = openSocket(server.url);
    const all = received(socket);
    const json = JSON.stringify({ name: 'Rex', categoryId: 3 });
    const headers = [`Authorization: Bearer ${server.key}`, 'Content-Type: application/json'];
    const arrived = requestsParsed(1);
    socket.write(request('POST /v1/pets', ...headers, 'Transfer-Encoding: chunked'));
    await arrived;
    const stopped = server.stop();
    await stoppedListening();
    socket.write(`${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`);
    const responses = parseResponses(await all);
    expect(responses.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([[201, 'close']]);
    await stopped;
  });

  test('serves a connection that the system has accepted but the server has not', async () => {
    server = await startTestServer({ timeouts: { lastRequest: 3_000 } });
    const sockets = Array.from({ length: 30 }, () => openSocket(server.url));
    const responses = sockets.map(received);
    for (const socket of sockets) socket.write(request('GET /healthz'));
    // The system has accepted the connections, but the event loop has not turned since.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const stopped = server.stop();
    for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1\.1 200 /);
    await stopped;
  });

  test('closes idle connections and those that never sent anything after a short time', async () => {
    // Otherwise the end of the stop would be the deadline.
    server = await startTestServer({ config: { drainDeadline: 3_600_000 }, timeouts: { lastRequest: 300 } });
    const idle = await openedConnection();
    const mute = openSocket(server.url);
    await new Promise((resolve) => mute.once('connect', resolve));
    const ended = Promise.all([received(idle), received(mute)]);
    const startedAt = performance.now();
    await server.stop();
    expect(await ended).toEqual(['', '']);
    expect(performance.now() - startedAt).toBeGreaterThan(250);
  });

  test('sends all responses to a caller that reads slowly, and then closes the connection', async () => {
    // Otherwise the end of the stop could be the deadline.
    server = await startTestServer({ config: { drainDeadline: 3_600_000 }, timeouts: { lastRequest: 100 } });
    const socket = openSocket(server.url);
    const all = received(socket);
    socket.pause();
    const arrived = requestsParsed(300);
    socket.write(request('GET /openapi.json').repeat(300));
    await arrived;
    const stopped = server.stop();
    await setTimeout(1_000);
    socket.resume();
    const responses = parseResponses(await all);
    const complete = responses.filter(({ headers, text }) => text.length === Number(headers.get('content-length')));
    expect(complete).toHaveLength(300);
    await stopped;
  });

  test.each<[string, string]>([
    ['CONNECT', request('CONNECT a:80')],
    ['Upgrade', request('GET /healthz', 'Connection: Upgrade', 'Upgrade: h2c')],
  ])('ends at its deadline even if Node detached a connection for %s', async (_, detaching) => {
    // Only the deadline can end the stop, because the responses may take for ever.
    server = await startTestServer({ config: { drainDeadline: 500 }, timeouts: { response: 3_600_000 } });
    const socket = openSocket(server.url);
    socket.on('error', () => {});
    socket.pause();
    const arrived = requestsParsed(300);
    socket.write(request('GET /openapi.json').repeat(300) + detaching);
    await arrived;
    await server.stop();
    socket.destroy();
  });
});
