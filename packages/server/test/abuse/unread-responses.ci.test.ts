import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSocket, parseResponses, sendBytes } from '../../../testing/src/service/wire.ts';
import { temporaryDatabase } from '../harness.ts';
import { type ServerProcess, startProcess } from '../process.ts';

const CONNECTIONS = 20;
const REQUESTS = 2_000;
/** Includes garbage, which a busy machine collects late. When all requests were parsed at once, it was 3,400. */
const MEGABYTES = 150;

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
let server: ServerProcess;
let key: string;
beforeAll(async () => {
  database = await temporaryDatabase();
  server = await startProcess({ DATABASE_URL: database.url });
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
  ])('%s: take less than 150 MB, and leave no descriptor open', async (_, path, headers) => {
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
    while (descriptors() > before.descriptors) await setTimeout(20);
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
