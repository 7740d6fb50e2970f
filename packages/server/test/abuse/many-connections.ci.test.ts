import type { Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { openSocket, received, sendBytes } from '../../../testing/src/service/wire.ts';
import { startTestServer } from '../harness.ts';

const MOST = 20;
const healthy = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens as many connections as the server allows, and sends the same bytes over each. */
async function takeAll(url: string, bytes: string): Promise<void> {
  for (let index = 0; index < MOST; index += 1) {
    const socket = openSocket(url);
    socket.on('error', () => {});
    sockets.push(socket);
    socket.write(bytes);
  }
}

/** Retries until the server responds, as a caller whose connection was refused does. */
async function answeredAtLast(url: string): Promise<void> {
  let response = '';
  while (response === '') response = await sendBytes(url, healthy);
  expect(response).toMatch(/^HTTP\/1\.1 200 /);
}

test('a connection beyond the limit is closed without a response, and closes none of the others', async () => {
  await using server = await startTestServer({ config: { maxConnections: MOST } });
  await takeAll(server.url, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  for (let index = 0; index < MOST; index += 1) expect(await sendBytes(server.url, healthy)).toBe('');
  const further = sockets.map(received);
  for (const socket of sockets) socket.write(healthy);
  for (const response of await Promise.all(further)) expect(response).toMatch(/^HTTP\/1\.1 200 /);
});

test('silent connections keep new ones out only until they time out', async () => {
  await using server = await startTestServer({ config: { maxConnections: MOST }, timeouts: { headers: 300 } });
  // They neither read their 408 nor close their side.
  await takeAll(server.url, 'GET / HTTP/1.1\r\n');
  await answeredAtLast(server.url);
});

test('a flood of connections does not cut off a request in progress', async () => {
  await using server = await startTestServer({ config: { maxConnections: 1 } });
  const socket = openSocket(server.url);
  sockets.push(socket);
  const body = '{"name":"Rex","categoryId":1}';
  const response = received(socket);
  const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\n`;
  const continued = new Promise((resolve) => socket.once('data', resolve));
  socket.write(
    `${head}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await continued;
  for (let index = 0; index < 30; index += 1) expect(await sendBytes(server.url, healthy)).toBe('');
  socket.write(body);
  expect(await response).toMatch(/HTTP\/1\.1 201 /);
});
