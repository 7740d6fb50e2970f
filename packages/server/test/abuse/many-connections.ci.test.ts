import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
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

test('when a connection ends, the next one is accepted', async () => {
  await using server = await startTestServer({ config: { maxConnections: MOST } });
  await takeAll(server.url, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  expect(await sendBytes(server.url, healthy)).toBe('');
  sockets.pop()?.destroy();
  await answeredAtLast(server.url);
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

/** An address of this machine that the server does not take for its own. Linux routes all of 127.0.0.0/8 to this machine. */
const STRANGER = '127.0.0.2';
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('when one address holds all connections', () => {
  /** Resolves when all connections of the address have been accepted, and have sent their bytes. */
  async function takeAllFrom(localAddress: string, url: string, bytes: string): Promise<void> {
    for (let index = 0; index < MOST; index += 1) {
      const socket = openSocket(url, { localAddress });
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      if (bytes !== '') socket.write(bytes);
    }
  }

  test.each([
    ['kept alive after a response', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['silent', ''],
    ['in the middle of their headers', 'GET / HTTP/1.1\r\n'],
  ])('a caller from another address is accepted if they are %s', async (_, bytes) => {
    await using server = await startTestServer({ config: { maxConnections: MOST } });
    await takeAllFrom(STRANGER, server.url, bytes);
    const [first] = sockets;
    const closed = first === undefined ? undefined : once(first.resume(), 'close');
    // The server accepts connections in their order, so all of the above are open.
    expect(await sendBytes(server.url, healthy)).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([first]);
    // A stop waits for a request whose headers are arriving.
    for (const socket of sockets) socket.destroy();
  });

  test('the one that has been idle the longest is closed', async () => {
    await using server = await startTestServer({ config: { maxConnections: MOST } });
    await takeAllFrom(STRANGER, server.url, '');
    const [first, second] = sockets;
    if (first === undefined || second === undefined) throw new Error('no connections');
    const answered = once(first, 'data');
    first.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await answered;
    const closed = once(second.resume(), 'close');
    expect(await sendBytes(server.url, healthy)).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([second]);
  });

  test('none of them is closed while a request is in progress', async () => {
    await using server = await startTestServer({ config: { maxConnections: 2 } });
    const body = '{"name":"Rex","categoryId":1}';
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\n`;
    const type = `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let index = 0; index < 2; index += 1) {
      const socket = openSocket(server.url, { localAddress: STRANGER });
      sockets.push(socket);
      socket.write(head + type);
      await once(socket, 'data');
    }
    expect(await sendBytes(server.url, healthy)).toBe('');
    const responses = sockets.map(received);
    for (const socket of sockets) socket.write(body);
    for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1\.1 201 /);
  });

  test('more callers from the same address are refused, and close none of the others', async () => {
    await using server = await startTestServer({ config: { maxConnections: MOST } });
    await takeAllFrom(STRANGER, server.url, '');
    const another = openSocket(server.url, { localAddress: STRANGER });
    expect(await received(another)).toBe('');
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
  });

  test.each([
    ['is this machine, where a proxy may run', '127.0.0.1', STRANGER, {}],
    ['may be that of a trusted proxy', STRANGER, '127.0.0.1', { trustProxy: 1 }],
  ])('none of them is closed if the address %s', async (_, holder, newcomer, config) => {
    await using server = await startTestServer({ config: { maxConnections: MOST, ...config } });
    await takeAllFrom(holder, server.url, '');
    const another = openSocket(server.url, { localAddress: newcomer });
    another.write(healthy);
    expect(await received(another)).toBe('');
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
  });

  test('callers from another address get their share, and no more', async () => {
    await using server = await startTestServer({ config: { maxConnections: MOST } });
    await takeAllFrom(STRANGER, server.url, '');
    const others = Array.from({ length: MOST }, () => openSocket(server.url, { localAddress: '127.0.0.3' }));
    sockets.push(...others);
    for (const socket of others) socket.on('error', () => {}).resume();
    while (sockets.filter((socket) => !socket.destroyed).length > MOST) await setImmediate();
    // One more than the share of the new address would only have exchanged the roles.
    expect(others.filter((socket) => !socket.destroyed)).toHaveLength(MOST / 2);
  });
});
