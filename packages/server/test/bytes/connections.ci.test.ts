import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../testing/src/child.ts';
import { openSocket, parseResponses, received, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { operations } from '../../src/operations/index.ts';
import { startSlowServer, startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
});
afterAll(() => server.stop());

const animal = '{"name":"x","categoryId":1}';

function request(line: string, ...headers: string[]): string {
  return requestTo(server, line, ...headers);
}

function requestTo({ key }: TestServer, line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');
}

function creation(...headers: string[]): string {
  return request('POST /v1/pets', 'Content-Type: application/json', ...headers);
}

/** Sends pieces with a pause between them, until the server closes the connection. Returns the verdicts. */
async function drip({ url }: TestServer, pieces: string[], pause: number): Promise<string[]> {
  const socket = openSocket(url);
  const all = received(socket);
  for (const piece of pieces) {
    if (socket.destroyed || socket.readableEnded) break;
    socket.write(piece);
    await setTimeout(pause);
  }
  return verdicts(parseResponses(await all));
}

describe('slow callers', () => {
  let impatient: TestServer;
  let lessImpatient: TestServer;
  beforeAll(async () => {
    impatient = await startTestServer({ timeouts: { headers: 200, request: 400, response: 700 } });
    // For callers that send complete headers first, which must arrive in time on a busy machine, too.
    lessImpatient = await startTestServer({ timeouts: { headers: 2_000, request: 2_000 } });
  });
  afterAll(() => Promise.all([impatient.stop(), lessImpatient.stop()]));

  const creationOn = (on: TestServer, ...headers: string[]) =>
    requestTo(on, 'POST /v1/pets', 'Content-Type: application/json', ...headers);

  test('a connection that sends nothing gets 408 and is closed', async () => {
    expect(await drip(impatient, [], 0)).toEqual(['408 request_timeout']);
  });

  test('headers that arrive one by one: 408', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `X-${index}: x\r\n`);
    expect(await drip(impatient, ['GET /v1/pets HTTP/1.1\r\n', ...lines], 20)).toEqual(['408 request_timeout']);
  });

  test('a body that arrives byte by byte: 408, with the quota of its key', async () => {
    const socket = openSocket(lessImpatient.url);
    const all = received(socket);
    socket.write(creationOn(lessImpatient, 'Content-Length: 1000'));
    for (let count = 0; count < 200 && !socket.readableEnded; count += 1) {
      socket.write(' ');
      await setTimeout(20);
    }
    const [response] = parseResponses(await all);
    expect([response?.status, response?.headers.get('x-ratelimit-limit')]).toEqual([408, '1000']);
  });

  test('a second request that never ends gets 408 after the first response', async () => {
    expect(
      await drip(lessImpatient, [`${requestTo(lessImpatient, 'GET /v1/pets')}GET /v1/pets HTTP/1.1\r\nHo`], 0),
    ).toEqual(['200', '408 request_timeout']);
  });

  test('a caller that does not read its responses is cut off, and they do not pile up in memory', async () => {
    const socket = openSocket(impatient.url);
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    const page = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
    const [before, logged] = [process.memoryUsage().rss, impatient.log().length];
    socket.write(page.repeat(1_000));
    // A caller that resumes reading before it is cut off gets all responses and keeps its connection.
    await eventually(() => impatient.log().includes('"aborted":true', logged), impatient.log);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    // When it resumes, it gets what the system has buffered, then the end.
    let bytes = 0;
    socket.on('data', (data) => {
      bytes += data.length;
    });
    socket.resume();
    await closed;
    const { length } = await (await fetch(`${server.url}/openapi.json`)).text();
    expect(bytes).toBeLessThan(length * 500);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe('half-open connections', () => {
  test('a caller that has closed its side still gets the response', async () => {
    const socket = openSocket(server.url, { allowHalfOpen: true });
    socket.end(creation(`Content-Length: ${animal.length}`) + animal);
    expect(verdicts(parseResponses(await received(socket)))).toEqual(['201']);
  });

  test('a caller that has closed its side still gets each response, however long it takes', async () => {
    await using slow = await startSlowServer();
    const socket = openSocket(slow.url, { allowHalfOpen: true });
    const all = received(socket);
    socket.end(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${slow.key}\r\n\r\n`.repeat(2));
    await setTimeout(50);
    slow.answer();
    expect(verdicts(parseResponses(await all))).toEqual(['200', '200']);
  });

  test('a caller that closes its side in the middle of a body gets 400, and nothing is stored', async () => {
    const before = (await server.call('listPets', { query: { limit: 100 } })).body.length;
    const socket = openSocket(server.url, { allowHalfOpen: true });
    socket.end(creation('Content-Length: 100') + animal);
    expect(verdicts(parseResponses(await received(socket)))).toEqual(['400 malformed_http']);
    expect((await server.call('listPets', { query: { limit: 100 } })).body).toHaveLength(before);
  });

  test('a caller that closes its side in the middle of the headers gets 400', async () => {
    const socket = openSocket(server.url, { allowHalfOpen: true });
    socket.end('GET /v1/pets HTTP/1.1\r\nHo');
    expect(verdicts(parseResponses(await received(socket)))).toEqual(['400 malformed_http']);
  });

  test.each([
    ['in the middle of the headers', () => 'GET /v1/pets HTTP/1.1\r\nHo'],
    ['in the middle of a body', () => `${creation('Content-Length: 100')}{`],
    ['before the response', () => creation(`Content-Length: ${animal.length}`) + animal],
    ['after bytes that are not HTTP', () => 'NONSENSE\r\n\r\n'],
    ['after a valid and an invalid request', () => `${request('GET /v1/pets')}NONSENSE\r\n\r\n`],
    ['after CONNECT', () => request('CONNECT a:80') + 'x'.repeat(10_000)],
    ['after an Upgrade', () => request('GET /v1/pets', 'Connection: Upgrade', 'Upgrade: websocket')],
    [
      'after an Upgrade that follows another request',
      () => request('GET /v1/pets') + request('GET /v1/pets', 'Connection: Upgrade', 'Upgrade: h2c'),
    ],
    [
      'after an Upgrade that follows an invalid request',
      () => request('GET /v1/pets', 'Host: b') + request('GET /v1/pets', 'Connection: Upgrade', 'Upgrade: h2c'),
    ],
  ])('a caller that resets its connection %s does not affect others', async (_, bytes) => {
    for (let count = 0; count < 30; count += 1) {
      const socket = openSocket(server.url);
      socket.on('error', () => {});
      await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
      await new Promise((resolve) => socket.write(bytes(), resolve));
      socket.resetAndDestroy();
    }
    await setTimeout(50);
    expect((await server.call('listPets')).status).toBe(200);
    expect(server.log()).not.toContain('"level":50');
  });
});

test('a connection that closed before its response is logged as 499, not as a 200 that was never sent', async () => {
  const gate = Promise.withResolvers<void>();
  const listPets: typeof operations.listPets = async (call) => {
    gate.resolve();
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    return operations.listPets(call);
  };
  await using slow = await startTestServer({ operations: { ...operations, listPets } });
  const socket = openSocket(slow.url);
  socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${slow.key}\r\n\r\n`);
  await gate.promise;
  // A reset, because a caller that only closes its side may still read.
  socket.resetAndDestroy();
  await eventually(() => slow.log().includes('"aborted":true'), slow.log);
  expect(slow.log()).toMatch(/"operation":"listPets","status":499/);
});

describe('pipelining', () => {
  test('a slow operation delays later responses on its connection, but no other connections', async () => {
    await using slow = await startSlowServer();
    const key = `Authorization: Bearer ${slow.key}`;
    const all = sendBytes(
      slow.url,
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\nGET /v1/pets/0 HTTP/1.1\r\nHost: a\r\n${key}\r\nConnection: close\r\n\r\n`,
    );
    expect((await slow.call('getPet', { path: { petId: 0 } })).status).toBe(404);
    slow.answer();
    expect(verdicts(parseResponses(await all))).toEqual(['200', '404 pet_not_found']);
  });
});

/** The headers that Java's HttpClient and `curl --http2` send with the first request on a connection. */
const h2c = [
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
];

function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${server.key}`, ...headers, '', ''].join('\r\n');
}

const last = () => get('/healthz', 'Connection: close');

describe('RFC 9110 7.8: the server ignores Upgrade and keeps the connection', () => {
  test.each(['h2c', 'websocket', 'TLS/1.0', 'HTTP/2.0'])('for Upgrade: %s', async (protocol) => {
    const bytes = get('/v1/pets/0', 'Connection: Upgrade, close', `Upgrade: ${protocol}`);
    expect(verdicts(parseResponses(await sendBytes(server.url, bytes)))).toEqual(['404 pet_not_found']);
  });

  test.each<[string, () => string]>([
    ['a page', () => get('/healthz', ...h2c)],
    [
      'a preflight',
      () => `OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nAccess-Control-Request-Method: GET\r\n${h2c.join('\r\n')}\r\n\r\n`,
    ],
    ['OPTIONS', () => get('/v1/pets', ...h2c).replace('GET', 'OPTIONS')],
    ['a HEAD request', () => get('/healthz', ...h2c).replace('GET', 'HEAD')],
    ['a 401', () => `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${h2c.join('\r\n')}\r\n\r\n`],
  ])('a second request, sent after the response to %s, is answered', async (_, first) => {
    const socket = openSocket(server.url);
    const all = received(socket);
    socket.write(first());
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(last());
    expect((await all).match(/HTTP\/1\.1 \d+/g)).toHaveLength(2);
  });
});
