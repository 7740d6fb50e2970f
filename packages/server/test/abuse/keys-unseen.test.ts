import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contract } from '@animal-store/contract/service';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../service/src/common/time.ts';
import { createKeyRing } from '../../../service/src/keys/key-ring.ts';
import { sendBytes } from '../../../testing/src/service/wire.ts';
import { operations } from '../../src/operations/index.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { startTestServer, temporaryDatabase } from '../harness.ts';
import { type ServerProcess, startProcess } from '../process.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
let server: ServerProcess;
let key: string;
let revoked: string;
beforeAll(async () => {
  database = await temporaryDatabase();
  const storage = await openStorage(database.url);
  const keys = createKeyRing(storage.keys, contract, systemClock, 'test');
  const limits = { plan: 'enterprise', perMinute: 10_000, perDay: 10_000 } as const;
  key = (await keys.create(limits)).secret;
  const ended = await keys.create(limits);
  revoked = ended.secret;
  await keys.revoke(ended.key.id);
  await storage.close();
  server = await startProcess({
    DATABASE_URL: database.url,
    NODE_ENV: 'production',
    API_MODE: 'test',
    LOG_LEVEL: 'trace',
    TRUST_PROXY: '1',
    METRICS_PORT: '0',
  });
});
afterAll(async () => {
  await server.end('SIGKILL');
  await database.remove();
});

/** Requests with a key in the right place, and in every place where a caller may put it by mistake. */
function requestsWith(secret: string): string[] {
  const authorization = `Authorization: Bearer ${secret}`;
  const get = (address: string, ...headers: string[]) =>
    [`GET ${address} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n');
  const post = (body: string, ...headers: string[]) =>
    [
      'POST /v1/pets HTTP/1.1',
      'Host: a',
      'Connection: close',
      `Content-Length: ${body.length}`,
      ...headers,
      '',
      body,
    ].join('\r\n');
  const json = 'Content-Type: application/json';
  const everywhere = [
    get('/v1/pets'),
    get('/v1/pets/0'),
    get(`/v1/pets?api_key=${secret}`),
    get(`/v1/pets?access_token=${secret}&limit=0`),
    get(`/v1/pets?${secret}=1`),
    get(`/v1/pets?status=${secret}`),
    get(`/v1/pets?limit=${secret}`),
    get(`/v1/pets?cursor=${secret}`),
    get(`/v1/pets/${secret}`),
    get(`/v1/${secret}`),
    get(`/${secret}`),
    get(`/docs/${secret}`),
    get(`/docs/${secret}%ff`),
    get(`/v1/pets/${secret}%ff`),
    get(`/healthz?key=${secret}`),
    get(`http://${secret}/v1/pets`),
    get(`http://user:${secret}@a/v1/pets`),
    get('/v1/pets', `X-Api-Key: ${secret}`),
    get('/v1/pets', `X-Request-Id: ${secret}`),
    get('/v1/pets', `X-Request-Id: a-${secret}`),
    get('/v1/pets', `Cookie: key=${secret}`),
    get('/v1/pets', `X-Forwarded-For: ${secret}`),
    get('/v1/pets', `X-Forwarded-Proto: ${secret}`),
    get('/v1/pets', `Referer: http://a/?key=${secret}`),
    get('/v1/pets', `User-Agent: ${secret}`),
    get('/v1/pets', `${secret}: x`),
    get('/v1/pets', `Authorization: Basic ${secret}`),
    get('/v1/pets', authorization, authorization),
    get('/v1/pets', `${authorization} x`),
    get('/v1/pets').replace('Host: a', `Host: ${secret}`),
    get('/v1/pets', `Content-Length: ${secret}`),
    get('/v1/pets', `X: ${secret}${'x'.repeat(20_000)}`),
    `${secret} / HTTP/1.1\r\n\r\n`,
    `CONNECT ${secret}:80 HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET / ${secret}\r\n\r\n`,
    `OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: http://${secret}\r\nAccess-Control-Request-Method: ${secret}\r\n\r\n`,
    post(secret, json),
    post(secret, `Content-Type: ${secret}`),
    post(`{"${secret}":1}`, json),
    post(`{"${secret}":1,"${secret}":2}`, json),
    post(`{"name":"x","categoryId":${secret}}`, json),
    post(`{"name":"x","categoryId":"${secret}"}`, json),
    post(`{"name":"x","status":"${secret}","categoryId":1}`, json),
    post(`{"${secret}":1e999}`, json),
    post(`{"name":"x","categoryId":1}`, json, `Idempotency-Key: a ${secret}`),
    post(`"${secret}${'x'.repeat(70_000)}`, json),
  ];
  const known = everywhere.map((request) => request.replace('\r\n', `\r\n${authorization}\r\n`));
  return [...everywhere, ...known];
}

test('a key appears in no log line, metric, response or file, wherever it was sent and whatever went wrong', async () => {
  const responses: string[] = [];
  for (const secret of [key, revoked]) {
    for (const request of requestsWith(secret)) responses.push(await sendBytes(server.url, request));
  }
  const statuses = new Set(responses.map((response) => response.slice(9, 12)));
  expect([...statuses].sort()).toEqual(['200', '204', '400', '401', '404', '405', '413', '415', '429', '431']);
  for (const secret of [key, revoked]) expect(responses.filter((response) => response.includes(secret))).toEqual([]);
  const files = readdirSync(dirname(database.path)).map((file) =>
    readFileSync(join(dirname(database.path), file), 'latin1'),
  );
  const metrics = await (await fetch(/metrics +(http:\S+)/.exec(server.output())?.[1] ?? '')).text();
  expect(metrics).toContain('operation="unreadable",status="431"');
  await server.end('SIGTERM');
  const output = server.output();
  expect(output.split('\n').length).toBeGreaterThan(requestsWith(key).length);
  for (const secret of [key, revoked])
    expect([output, metrics, ...files].map((text) => text.includes(secret))).not.toContain(true);
  // Not even a truncated key.
  expect(output + metrics).not.toMatch(/as_(live|test)_[0-9A-Za-z]/);
});

test('a key appears neither in the log nor in the response when an operation fails', async () => {
  const listPets = async () => {
    throw new Error('broken');
  };
  await using failing = await startTestServer({ operations: { ...operations, listPets } });
  const response = await failing.call('listPets', {
    headers: { 'x-api-key': failing.key, 'x-request-id': failing.key },
  });
  expect(response.status).toBe(500);
  expect(failing.log()).toContain('broken');
  expect(failing.log()).not.toContain(failing.key);
  expect(JSON.stringify([...response.headers]) + response.text).not.toContain(failing.key);
});
