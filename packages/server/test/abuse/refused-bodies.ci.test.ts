import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { limits } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSocket, parseResponses, received, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  // Long enough for a request on a busy machine; tests without a body wait until it has passed.
  server = await startTestServer({ timeouts: { headers: 3_000, request: 3_000 } });
});
afterAll(() => server.stop());

const MEGABYTE = 1_000_000;
const HUGE = 20_000 * MEGABYTE;

function post(path: string, ...headers: string[]): string {
  return head(`POST ${path}`, ...headers);
}

function head(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
}

function withKey(...headers: string[]): string[] {
  return [`Authorization: Bearer ${server.key}`, 'Content-Type: application/json', ...headers];
}

/**
 * Sends a head, then bytes as long as the server accepts them. Returns the response, and the number of bytes that the
 * system accepted.
 */
async function pour(start: string, piece: Buffer): Promise<{ text: string; bytes: number }> {
  const socket = openSocket(server.url);
  const text = received(socket);
  socket.write(start);
  await pourInto(socket, piece);
  return { text: await text, bytes: socket.bytesWritten };
}

async function pourInto(socket: Socket, piece: Buffer): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  while (socket.writable && !socket.destroyed && socket.bytesWritten < 400 * MEGABYTE) {
    if (!socket.write(piece)) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))]);
  }
  socket.destroy();
}

/** An upper bound on the bytes of an unread body that the socket buffers on both sides and a lingering close can take. */
const FEW = 48 * MEGABYTE;

describe('a body that will be refused is refused based on its headers', () => {
  test.each<[string, () => string, string]>([
    ['too large', () => post('/v1/pets', ...withKey(`Content-Length: ${limits.bodyBytes + 1}`)), '413 body_too_large'],
    [
      'compressed',
      () => post('/v1/pets', ...withKey('Content-Length: 9', 'Content-Encoding: gzip')),
      '415 unsupported_media_type',
    ],
    [
      'not JSON',
      () => post('/v1/pets', ...withKey('Content-Length: 9').with(1, 'Content-Type: text/plain')),
      '415 unsupported_media_type',
    ],
    ['of an unknown caller', () => post('/v1/pets', `Content-Length: ${HUGE}`), '401 api_key_missing'],
  ])('%s: before any of it is sent, and without 100 Continue', async (_, request, verdict) => {
    for (const expectation of ['', 'Expect: 100-continue\r\n']) {
      const text = await sendBytes(
        server.url,
        request().replace(/\r\n$/, () => `${expectation}\r\n`),
      );
      expect(text).not.toContain('100 Continue');
      const responses = parseResponses(text);
      // Without an Expect header, a small body may still be in transit, and the connection stays open after it.
      if (expectation !== '') expect(responses[0]?.headers.get('connection')).toBe('close');
      expect(verdicts(responses).slice(0, 1)).toEqual([verdict]);
    }
  });

  test('100 Continue is sent only if the body will be read, so nothing is refused for its size after it', async () => {
    const animal = '{"name":"x","categoryId":1}';
    const socket = openSocket(server.url);
    const all = received(socket);
    const continued = new Promise((resolve) => socket.once('data', resolve));
    socket.write(
      post('/v1/pets', ...withKey(`Content-Length: ${animal.length}`, 'Expect: 100-continue', 'Connection: close')),
    );
    expect(String(await continued)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(animal);
    expect(verdicts(parseResponses(await all))).toEqual(['201']);
  });
});

describe('a body that is refused is not read', () => {
  const plain = Buffer.alloc(65_536, ' ');
  const chunk = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`);

  test.each<[string, () => string, Buffer, string]>([
    ['with a key, 20 GB', () => post('/v1/pets', ...withKey(`Content-Length: ${HUGE}`)), plain, '413 body_too_large'],
    [
      'with a key, endless chunks',
      () => post('/v1/pets', ...withKey('Transfer-Encoding: chunked')),
      chunk,
      '413 body_too_large',
    ],
    ['without a key', () => post('/v1/pets', `Content-Length: ${HUGE}`), plain, '401 api_key_missing'],
    ['of a GET', () => head('GET /v1/pets', ...withKey(`Content-Length: ${HUGE}`)), plain, '400 invalid_request'],
    ['of a page', () => head('GET /healthz', `Content-Length: ${HUGE}`), plain, '200'],
    ['of a page, endless chunks', () => head('GET /healthz', 'Transfer-Encoding: chunked'), chunk, '200'],
    [
      'of a preflight',
      () => head('OPTIONS /v1/pets', 'Access-Control-Request-Method: POST', `Content-Length: ${HUGE}`),
      plain,
      '204',
    ],
    ['of OPTIONS', () => head('OPTIONS /v1/pets', ...withKey(`Content-Length: ${HUGE}`)), plain, '204'],
    ['for an unknown path', () => post('/none', `Content-Length: ${HUGE}`), plain, '404 route_not_found'],
  ])('%s', async (_, request, piece, verdict) => {
    const { text, bytes } = await pour(request(), piece);
    const responses = parseResponses(text);
    expect(verdicts(responses)).toEqual([verdict]);
    expect(responses[0]?.headers.get('connection')).toBe('close');
    expect(bytes).toBeLessThan(FEW);
  });

  test('a caller that sends slowly and never stops is cut off after five seconds', async () => {
    await using patient = await startTestServer();
    const socket = openSocket(patient.url, { allowHalfOpen: true });
    const all = received(socket);
    const startedAt = performance.now();
    socket.write(
      head(
        'POST /v1/pets',
        `Authorization: Bearer ${patient.key}`,
        'Content-Type: application/json',
        `Content-Length: ${HUGE}`,
      ),
    );
    // Without the five seconds, the server would read for ever.
    for (let sent = 0; !socket.destroyed && sent < 1_000; sent += 1) {
      if (socket.writable) socket.write(' ');
      await setTimeout(50);
    }
    expect(verdicts(parseResponses(await all))).toEqual(['413 body_too_large']);
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
  });

  test.each([1, 20])('a caller that sends %i MB before it reads still gets the response', async (megabytes) => {
    await using patient = await startTestServer();
    const body = 'x'.repeat(megabytes * MEGABYTE);
    const key = `Authorization: Bearer ${patient.key}`;
    const socket = openSocket(patient.url);
    socket.pause();
    socket.write(post('/v1/pets', key, 'Content-Type: application/json', `Content-Length: ${body.length}`) + body);
    await setTimeout(300);
    const all = received(socket);
    socket.resume();
    expect(verdicts(parseResponses(await all))).toEqual(['413 body_too_large']);
  });
});

describe('a body sent to an operation that takes none', () => {
  const get = (...headers: string[]) => head('GET /v1/pets', ...withKey(...headers));
  test.each<[string, () => string, string]>([
    ['is refused', () => `${get('Content-Length: 2')}{}`, '400 invalid_request'],
    ['is refused in chunks', () => `${get('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`, '400 invalid_request'],
    ['does not count as a body if it has no bytes', () => get('Content-Length: 0'), '200'],
    ['does not count as a body if it has no chunks', () => `${get('Transfer-Encoding: chunked')}0\r\n\r\n`, '200'],
    [
      'is refused for a POST',
      () => `${post('/v1/store/orders/1/cancel', ...withKey('Content-Length: 2'))}{}`,
      '400 invalid_request',
    ],
  ])('%s', async (_, request, verdict) => {
    const bytes = request() + head('GET /healthz', 'Connection: close');
    expect(verdicts(parseResponses(await sendBytes(server.url, bytes)))).toEqual([verdict, '200']);
  });
});

test('a small unread body does not close the connection', async () => {
  const bodies = [
    `${head('GET /healthz', 'Content-Length: 5')}hello`,
    `${head('GET /healthz', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`,
    `${post('/v1/pets', ...withKey('Transfer-Encoding: chunked'))}1b\r\n{"name":"x","categoryId":1}\r\n0\r\n\r\n`,
  ];
  const bytes = bodies.join('').repeat(2) + head('GET /healthz', 'Connection: close');
  const statuses = parseResponses(await sendBytes(server.url, bytes)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 201, 200, 200, 201, 200]);
});
