import { anonymousLimits, plans } from '@animal-store/contract';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { parseResponses, sendBytes, type WireResponse } from '../../../testing/src/service/wire.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { NOON, startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ timeouts: { headers: 1_000, request: 1_000 } });
});
afterAll(() => server.stop());

const minuteEnd = NOON / 1_000 + 50;

function numbers({ headers }: Pick<WireResponse, 'headers'>) {
  const read = (name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
}

function requestOf(line: string, key: string | undefined, ...headers: string[]): string {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  return [`${line} HTTP/1.1`, 'Host: a', ...authorization, ...headers, '', ''].join('\r\n');
}

const json = 'Content-Type: application/json';
const animal = '{"name":"x","categoryId":1}';

/** Requests and their expected statuses. Each request counts against its key. */
const counted: [status: number, line: string, headers: string[], body: string][] = [
  [200, 'GET /v1/pets', [], ''],
  [201, 'POST /v1/pets', [json, `Content-Length: ${animal.length}`], animal],
  [204, 'OPTIONS /v1/pets', [], ''],
  [400, 'GET /v1/pets?limit=0', [], ''],
  [400, 'POST /v1/pets', [json, 'Content-Length: 1'], '{'],
  [400, 'GET /v1/pets/%', [], ''],
  [400, 'POST /v1/pets', [json, 'Transfer-Encoding: chunked'], 'zz\r\n'],
  [404, 'GET /v1/pets/0', [], ''],
  [404, 'GET /nothing', [], ''],
  [405, 'PUT /v1/pets', [], ''],
  [408, 'POST /v1/pets', [json, 'Content-Length: 9'], '{'],
  [413, 'POST /v1/pets', [json, 'Content-Length: 70000'], 'x'.repeat(70_000)],
  [415, 'POST /v1/pets', ['Content-Length: 2'], '{}'],
];

test('each response to a key has one request fewer remaining than the previous one, and the end of the window', async () => {
  const key = await server.createKey('free');
  const { perMinute } = plans.free;
  for (const [index, [status, line, headers, body]] of counted.entries()) {
    const bytes = `${requestOf(line, key, 'Connection: close', ...headers)}${body}`;
    const [response] = parseResponses(await sendBytes(server.url, bytes));
    expect([line, response?.status]).toEqual([line, status]);
    expect(response && numbers(response)).toEqual({
      limit: perMinute,
      remaining: perMinute - 1 - index,
      reset: minuteEnd,
    });
  }
});

test('each response to an IP address has one request fewer remaining than the previous one, malformed requests included', async () => {
  await using fresh = await startTestServer({ timeouts: { headers: 1_000, request: 1_000 } });
  const requests: [status: number, bytes: string][] = [
    [401, requestOf('GET /v1/pets', undefined, 'Connection: close')],
    [401, requestOf('GET /v1/pets', `${fresh.key}x`, 'Connection: close')],
    [404, requestOf('GET /nothing', undefined, 'Connection: close')],
    [405, requestOf('CONNECT a:80', undefined)],
    [400, 'NONSENSE\r\n\r\n'],
    [408, 'GET /v1/pets HTTP/1.1\r\nHost'],
    [431, requestOf('GET /v1/pets', fresh.key, `X: ${'x'.repeat(20_000)}`)],
  ];
  for (const [index, [status, bytes]] of requests.entries()) {
    const [response] = parseResponses(await sendBytes(fresh.url, bytes));
    expect(response?.status).toBe(status);
    expect(response && numbers(response)).toEqual({
      limit: anonymousLimits.perMinute,
      remaining: anonymousLimits.perMinute - 1 - index,
      reset: minuteEnd,
    });
  }
});

test('HEAD is counted like GET, and has the same headers', async () => {
  const key = await server.createKey('free');
  const [get, head] = [await server.call('listPets', { key }), await server.call('listPets', { key, method: 'HEAD' })];
  expect(numbers(head)).toEqual({ ...numbers(get), remaining: numbers(get).remaining - 1 });
});

test('503 and 500 are counted against the key if it is known, otherwise against the IP address', async () => {
  const storage = await openStorage('sqlite::memory:');
  const fail = async () => {
    throw new StorageUnavailableError(new Error('away'));
  };
  const reader = new Proxy(storage.reader, { get: () => fail });
  const parts = {
    transaction: fail,
    usage: storage.usage,
    jobs: storage.jobs,
    deleteIdempotencyRecords: fail,
    dataVersion: () => undefined,
    ping: fail,
    close: () => storage.close(),
  };
  let keysFail = false;
  const keys = new Proxy(storage.keys, {
    get: (target, name, receiver) => (keysFail ? fail : Reflect.get(target, name, receiver)),
  });
  await using broken = await startTestServer({ storage: { ...parts, reader, keys } });
  const known = await broken.call('listPets');
  expect([known.status, numbers(known).limit, numbers(known).remaining]).toEqual([503, 1_000, 999]);
  keysFail = true;
  broken.clock.now += 6_000;
  const unknown = await broken.call('listPets');
  expect([unknown.status, numbers(unknown).limit, numbers(unknown).remaining]).toEqual([503, 60, 59]);
});
