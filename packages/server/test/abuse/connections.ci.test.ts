import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { plans } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createLimiter } from '../../../service/src/rate-limit/limiter.ts';
import { eventually } from '../../../testing/src/child.ts';
import { openSocket, parseResponses, received, sendBytes } from '../../../testing/src/service/wire.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { NOON, startTestServer, temporaryDatabase } from '../harness.ts';
import { type ServerProcess, startProcess } from '../process.ts';

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
  const ask = async () => {
    response = await sendBytes(url, healthy);
    return response !== '';
  };
  await eventually(ask, () => 'The server does not respond.');
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

const CONNECTIONS = 20;
const REQUESTS = 2_000;
/** A small heap, because garbage that a busy machine collects late is no fault. */
const HEAP = '--max-old-space-size=128';
/** 0 to 45 are usual. When all requests were parsed at once, it was 3,400. */
const MEGABYTES = 100;

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
let server: ServerProcess;
let key: string;
beforeAll(async () => {
  database = await temporaryDatabase();
  server = await startProcess({ DATABASE_URL: database.url, NODE_OPTIONS: HEAP });
  key = /Bearer (as_\w+)/.exec(server.output())?.[1] ?? '';
});
afterAll(async () => {
  await server.end('SIGKILL');
  await database.remove();
});

function memory(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1]) / 1024;
}

function descriptors(): number {
  return readdirSync(`/proc/${server.child.pid}/fd`).length;
}

/** Opens connections that send requests and read nothing. */
function floodWith(request: string): Socket[] {
  return Array.from({ length: CONNECTIONS }, () => {
    const socket = openSocket(server.url).pause();
    socket.on('error', () => {});
    socket.write(request.repeat(REQUESTS));
    return socket;
  });
}

// Only Linux shows the memory and the descriptors of another process.
const describeLinux = process.platform === 'linux' ? describe : describe.skip;

describeLinux('20 connections with 2,000 unread requests each', () => {
  test.each([
    ['the contract', '/openapi.json', () => ''],
    ['the contract, from a file', '/openapi.yaml', () => ''],
    ['a page of the docs', '/docs/', () => ''],
    ['a health check', '/healthz', () => ''],
    ['the API', '/v1/pets', () => `Authorization: Bearer ${key}\r\n`],
  ])('%s: take less than 100 MB, and leave no descriptor open', async (_, path, headers) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers()}\r\n`;
    // The heap grows to its usual size under any load, which has nothing to do with unread responses.
    const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const reading = Array.from({ length: CONNECTIONS }, () => sendBytes(server.url, request.repeat(500) + last));
    await Promise.all(reading);
    const before = { memory: memory(), descriptors: descriptors() };
    const sockets = floodWith(request);
    let most = 0;
    try {
      for (let look = 0; look < 10; look += 1) {
        await setTimeout(100);
        most = Math.max(most, memory());
        const response = await fetch(`${server.url}/healthz`, { headers: { connection: 'close' } });
        expect(response.status).toBe(200);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    expect(most - before.memory).toBeLessThan(MEGABYTES);
    await eventually(
      () => descriptors() <= before.descriptors,
      () => `${descriptors()} descriptors are open, and ${before.descriptors} were.`,
    );
  });
});

test('a caller that reads gets ten thousand pipelined responses in order', async () => {
  const numbered = Array.from(
    { length: 10_000 },
    (_, index) => `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: n${index}\r\n\r\n`,
  );
  const bytes = `${numbered.join('')}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const responses = parseResponses(await sendBytes(server.url, bytes));
  const ids = responses.slice(0, -1).map(({ headers }) => headers.get('x-request-id'));
  expect(ids).toEqual(numbered.map((_, index) => `n${index}`));
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The heap in use after garbage collection, in bytes. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const MEGABYTE = 1_000_000;

describe('memory stays flat', () => {
  test('under spoofed IP addresses: 200,000 take no more than the 50,000 that are remembered', async () => {
    await using storage = await opened();
    const limiter = await createLimiter(storage.usage, contract, () => NOON);
    let made = 0;
    const before = heap();
    await count(90_000);
    const full = heap();
    await count(110_000);
    expect(full - before).toBeLessThan(25 * MEGABYTE);
    expect(heap() - full).toBeLessThan(8 * MEGABYTE);

    /** A different network for each index: IPv4, IPv6, and text that is not an address. */
    async function count(requests: number): Promise<void> {
      for (let index = 0; index < requests; index += 3) {
        made += 1;
        const [high, low] = [made >> 8, made & 255];
        await limiter.countAddress(`10.${high >> 8}.${high & 255}.${low}`);
        await limiter.countAddress(`2001:db8:${high.toString(16)}:${low.toString(16)}::1`);
        await limiter.countAddress(`${'x'.repeat(500)}${made}`);
      }
    }
  });
});

async function opened() {
  const storage = await openStorage('sqlite::memory:');
  return { usage: storage.usage, keys: storage.keys, [Symbol.asyncDispose]: () => storage.close() };
}

test('of 300 simultaneous requests over 50 connections with a new key, exactly the limit passes', async () => {
  await using server = await startTestServer();
  const key = await server.createKey('free');
  const get = (last: boolean) =>
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  const connections = Array.from({ length: 50 }, () => sendBytes(server.url, get(false).repeat(5) + get(true)));
  const responses = (await Promise.all(connections)).flatMap(parseResponses);
  expect(responses).toHaveLength(300);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(plans.free.perMinute);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(300 - plans.free.perMinute);
});
