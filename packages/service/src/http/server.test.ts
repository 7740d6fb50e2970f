import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { batchPerTick, createMessages, createServer, listen, MAX_BATCH } from './server.ts';

/** Runs a server during the tests of a file. Returns a function for its port, to be called inside tests. */
function listening(server: Server): () => number {
  let port = 0;
  beforeAll(async () => {
    port = await listen(server, 0, '127.0.0.1');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return () => port;
}

const app = express();
const other = express();
let seen: [request: Request, response: Response][] = [];
/** The prototype of each message when it is created, before Express sees it. */
let born: [request: unknown, response: unknown][] = [];

app.use((request, response) => {
  seen.push([request, response]);
  response.status(201).json({ host: request.get('host'), query: request.query, ip: request.ip });
});
const server = createServer(createMessages(app));
server.on('request', (request, response) => {
  born.push([Object.getPrototypeOf(request), Object.getPrototypeOf(response)]);
  app(request, response);
});

const port = listening(server);

test('messages have the prototypes of Express when they are created', async () => {
  [seen, born] = [[], []];
  const reply = await fetch(`http://127.0.0.1:${port()}/?a=1`);
  expect([reply.status, await reply.json()]).toEqual([
    201,
    { host: `127.0.0.1:${port()}`, query: { a: '1' }, ip: '127.0.0.1' },
  ]);
  const [[request, response] = []] = seen;
  expect([request?.app, response?.app]).toEqual([app, app]);
  expect(born).toEqual([[app.request, app.response]]);
  expect([Object.getPrototypeOf(request), Object.getPrototypeOf(response)]).toEqual([app.request, app.response]);
});

test('all messages of a connection have the same prototype', async () => {
  born = [];
  const socket = connect(port(), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(socket.resume(), 'close');
  expect(born).toHaveLength(3);
  expect(new Set(born.flat()).size).toBe(2);
});

test('another application has its own messages', () => {
  const before = [other.request, other.response];
  expect(Object.getPrototypeOf(other.request)).not.toBe(Object.getPrototypeOf(app.request));
  expect([other.request, other.response]).toEqual(before);
  expect(createMessages(other).IncomingMessage).not.toBe(createMessages(express()).IncomingMessage);
});

let events: string[] = [];
const batching = createServer(
  batchPerTick(async (request: IncomingMessage, response: ServerResponse) => {
    events.push(`${request.url} looked at`);
    await Promise.resolve();
    events.push(`${request.url} answered`);
    response.end(request.url);
  }),
);
batching.prependListener('request', (request) => events.push(`${request.url} came`));
// Some operating systems report the end of the stream together with the last bytes.
Object.assign(batching, { httpAllowHalfOpen: true });
const batchingPort = listening(batching);

function linesOf(...paths: string[]): string {
  return paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
}

test('requests of one turn of the event loop run each step together, and each gets its own response', async () => {
  events = [];
  const socket = connect(batchingPort(), '127.0.0.1');
  socket.end(linesOf('/1', '/2', '/3'));
  const responses = await text(socket);
  expect([...responses.matchAll(/^\/\d/gm)].map(String)).toEqual(['/1', '/2', '/3']);
  const steps = ['came', 'looked at', 'answered'];
  expect(events).toEqual(steps.flatMap((step) => ['/1', '/2', '/3'].map((path) => `${path} ${step}`)));
});

test('a flood of requests over one connection gets its first responses before all of it is read', async () => {
  events = [];
  const paths = Array.from({ length: 3 * MAX_BATCH + 1 }, (_, index) => `/${index}`);
  const socket = connect(batchingPort(), '127.0.0.1');
  socket.end(linesOf(...paths));
  const responses = await text(socket);
  expect([...responses.matchAll(/^\/\d+/gm)].map(String)).toEqual(paths);
  expect(events.slice(0, 2 * MAX_BATCH).filter((event) => event.endsWith('looked at'))).toHaveLength(MAX_BATCH);
});

test('a single request does not wait for others', async () => {
  const socket = connect(batchingPort(), '127.0.0.1');
  for (const path of ['/a', '/b', '/c']) {
    socket.write(linesOf(path));
    expect(String(await once(socket, 'data'))).toMatch(new RegExp(`${path}$`));
  }
  socket.destroy();
});

test('requests of many connections are all answered, each with its own response', async () => {
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
  const bodies = await Promise.all(
    paths.map(async (path) => (await fetch(`http://127.0.0.1:${batchingPort()}${path}`)).text()),
  );
  expect(bodies).toEqual(paths);
});
