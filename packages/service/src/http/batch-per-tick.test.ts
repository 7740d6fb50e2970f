import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { listening } from './listening-fixture.ts';
import { batchPerTick, createServer, MAX_BATCH } from './server.ts';

let events: string[] = [];
const server = createServer(
  batchPerTick(async (request: IncomingMessage, response: ServerResponse) => {
    events.push(`${request.url} looked at`);
    await Promise.resolve();
    events.push(`${request.url} answered`);
    response.end(request.url);
  }),
);
server.prependListener('request', (request) => events.push(`${request.url} came`));
// Some operating systems report the end of the stream together with the last bytes.
Object.assign(server, { httpAllowHalfOpen: true });
const port = listening(server);

function linesOf(...paths: string[]): string {
  return paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
}

test('requests of one turn of the event loop run each step together, and each gets its own response', async () => {
  events = [];
  const socket = connect(port(), '127.0.0.1');
  socket.end(linesOf('/1', '/2', '/3'));
  const responses = await text(socket);
  expect([...responses.matchAll(/^\/\d/gm)].map(String)).toEqual(['/1', '/2', '/3']);
  const steps = ['came', 'looked at', 'answered'];
  expect(events).toEqual(steps.flatMap((step) => ['/1', '/2', '/3'].map((path) => `${path} ${step}`)));
});

test('a flood of requests over one connection gets its first responses before all of it is read', async () => {
  events = [];
  const paths = Array.from({ length: 3 * MAX_BATCH + 1 }, (_, index) => `/${index}`);
  const socket = connect(port(), '127.0.0.1');
  socket.end(linesOf(...paths));
  const responses = await text(socket);
  expect([...responses.matchAll(/^\/\d+/gm)].map(String)).toEqual(paths);
  expect(events.slice(0, 2 * MAX_BATCH).filter((event) => event.endsWith('looked at'))).toHaveLength(MAX_BATCH);
});

test('a single request does not wait for others', async () => {
  const socket = connect(port(), '127.0.0.1');
  for (const path of ['/a', '/b', '/c']) {
    socket.write(linesOf(path));
    expect(String(await once(socket, 'data'))).toMatch(new RegExp(`${path}$`));
  }
  socket.destroy();
});

test('requests of many connections are all answered, each with its own response', async () => {
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
  const bodies = await Promise.all(
    paths.map(async (path) => (await fetch(`http://127.0.0.1:${port()}${path}`)).text()),
  );
  expect(bodies).toEqual(paths);
});
