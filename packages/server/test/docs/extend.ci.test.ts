import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import type { AnyCall } from '../../../service/src/openapi/operation.ts';
import { waitLong } from '../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { root } from '../../../tooling/src/project.ts';
import { api } from '../../src/operations/api.ts';
import { startTestServer } from '../harness.ts';
import { adoptPaths, serve } from '../own-api/serve-contract.ts';
import { adminRoute, allowList, receivePayment, serverTiming } from './extend.ts';

const recipes = readFileSync(join(import.meta.dirname, 'extend.ts'), 'utf8').replaceAll(/\s+/g, ' ');
const blocks = [...readFileSync(join(root, 'docs/extend.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)];
const tested = blocks.map(([, code = '']) => code.trim()).filter((code) => !/payOrder|cleanUp/.test(code));

test.each(tested)('docs/extend.md has the code that is tested here', (code) => {
  expect(recipes).toContain(code.replaceAll(/\s+/g, ' '));
});

test('a signed webhook is stored once; a wrong signature, an old one and what is not JSON get a clear error', async () => {
  const inHeader = (name: string, schema: object) => ({ name, in: 'header', required: true, schema });
  const adopted = adoptPaths({
    '/payments': {
      post: {
        operationId: 'receivePayment',
        'x-raw-body': true,
        parameters: [
          inHeader('Webhook-Id', { type: 'string' }),
          inHeader('Webhook-Timestamp', { type: 'integer' }),
          inHeader('Webhook-Signature', { type: 'string' }),
        ],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { type: 'object', properties: { test: { type: 'integer' } } } } },
        },
        responses: { 204: { description: 'Received.' } },
      },
    },
  });
  const events = new Map<string, object>();
  // The published test vector of Standard Webhooks, whose body JSON.stringify would not write in this way.
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const sentAt = 1_614_265_330;
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  let now = sentAt * 1_000;
  const storage = { addEvent: async (key: string, event: object) => void events.set(key, event) };
  const operation = ({ header, body, rawBody }: AnyCall & Parameters<typeof receivePayment>[0]) =>
    receivePayment({ header, body, rawBody, storage, clock: () => now });
  await using service = await serve(adopted, { receivePayment: operation });
  const send = async (body = '{"test": 2432232314}', text = signature) => {
    const headers = { 'webhook-id': id, 'webhook-timestamp': `${sentAt}`, 'webhook-signature': text };
    const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const response = await fetch(`${service.origin}/payments`, options);
    return [response.status, response.status === 204 ? undefined : (await response.json()).message];
  };
  expect([await send(), await send(undefined, `v1,other ${signature}`)]).toEqual([
    [204, undefined],
    [204, undefined],
  ]);
  expect([...events]).toEqual([[id, { test: 2_432_232_314 }]]);
  const refused = [400, 'The signature does not fit the body.'];
  expect([await send('{"test":2432232314}'), await send(undefined, 'v1,short')]).toEqual([refused, refused]);
  expect(await send('')).toEqual(refused);
  expect(await send('not JSON')).toEqual([400, expect.stringContaining('JSON')]);
  now += 301_000;
  expect(await send()).toEqual([400, 'The webhook is too old.']);
  expect(events.size).toBe(1);
});

async function setStatusByHand(databaseUrl?: string): Promise<void> {
  await using server = await startTestServer({
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    service: { ...api, middleware: adminRoute },
  });
  const { id } = (await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } })).body;
  const set = async (pet: number, body = 'sold', type = 'text/plain') => {
    const headers = { 'content-type': type };
    return (await fetch(`${server.url}/internal/pets/${pet}/status`, { method: 'PUT', body, headers })).status;
  };
  expect([await set(id), await set(id + 1)]).toEqual([204, 404]);
  expect([await set(id, 'misspelled'), await set(id, 'available', 'text/html')]).toEqual([400, 400]);
  expect((await server.call('getPet', { path: { petId: id } })).body.status).toBe('sold');
  expect(server.log()).toContain('an operator has set a status');
}

test('middleware may have a route that reads and writes the storage', () => setStatusByHand());

describeOnPostgres('on PostgreSQL', (postgres) => {
  test('middleware may have a route that reads and writes the storage', async () => {
    using _ = waitLong();
    await setStatusByHand(await postgres.freshUrl());
  });
});

test('middleware may hide paths from other addresses, and measure each response', async () => {
  const config = { trustProxy: 1 };
  const inside: RequestHandler = (_request, response) => void response.send('inside');
  const middleware: typeof allowList = (parts) => ({ beforeKey: [...(allowList(parts).beforeKey ?? []), inside] });
  await using hidden = await startTestServer({ config, service: { ...api, middleware } });
  const statusFrom = async (address: string, path: string) =>
    (await fetch(hidden.url + path, { headers: { 'x-forwarded-for': address } })).status;
  const paths = ['/internal/pets', '/v1/pets'];
  expect(await Promise.all(paths.map((path) => statusFrom('10.1.2.3', path)))).toEqual([200, 200]);
  expect(await Promise.all(paths.map((path) => statusFrom('10.2.0.1', path)))).toEqual([404, 200]);
  await using timed = await startTestServer({ service: { ...api, middleware: serverTiming } });
  const { headers } = await fetch(`${timed.url}/v1/pets`);
  expect(headers.get('server-timing')).toMatch(/^app;dur=\d+\.\d$/);
  expect(headers.has('x-ratelimit-limit')).toBe(true);
});
