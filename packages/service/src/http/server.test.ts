import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { listening } from './listening-fixture.ts';
import { createMessages, createServer } from './server.ts';

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
