import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { listening } from './listening-fixture.ts';
import { parseInPieces } from './pipelining.ts';
import { createServer } from './server.ts';

const server = createServer();
server.on('connection', (socket) => parseInPieces(socket, { isInPieces: false, rest: undefined, isBlocked: false }));
const port = listening(server);

function nextRequest(): Promise<{ request: IncomingMessage; response: ServerResponse }> {
  return new Promise((resolve) => server.once('request', (request, response) => resolve({ request, response })));
}

const size = 20 * 2 ** 20;

test('a body is read from the network only as fast as it is consumed', async () => {
  const next = nextRequest();
  const client = connect(port(), '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
  client.write(Buffer.alloc(size));
  const { request } = await next;
  await setTimeout(300);
  expect(request.socket.bytesRead).toBeLessThan(size / 10);
  let received = 0;
  for await (const chunk of request) received += chunk.length;
  expect(received).toBe(size);
  client.destroy();
});

test('requests behind an unread response are parsed once it is read', async () => {
  const next = nextRequest();
  const client = connect(port(), '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const { response } = await next;
  response.write(Buffer.alloc(size));
  let parsed = 0;
  server.on('request', () => {
    parsed += 1;
  });
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500));
  await setTimeout(300);
  expect(parsed).toBeLessThan(30);
  client.resume();
  await eventually(
    () => parsed === 500,
    () => `${parsed} were parsed.`,
  );
  client.destroy();
});
