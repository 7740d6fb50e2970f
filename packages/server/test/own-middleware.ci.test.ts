import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler, Router } from 'express';
import type { ObservedResponse } from '../../service/src/common/observed-response.ts';
import { ApiError } from '../../service/src/openapi/api-error.ts';
import type { OwnMiddleware } from '../../service/src/openapi/service-parts.ts';
import { eventually } from '../../testing/src/child.ts';
import { api } from '../src/operations/api.ts';
import { operations } from '../src/operations/index.ts';
import { startTestServer } from './harness.ts';

const webhooks = Router().post(
  '/webhooks/payments',
  (_request, response) => void response.status(202).json({ accepted: true }),
);

test('middleware of an API runs before the key, after the key and after the response', async () => {
  const seen: string[] = [];
  const middleware: OwnMiddleware = {
    beforeKey: [
      webhooks,
      ({ context }, _response, next) => {
        seen.push(`before the key: ${context.key?.plan}`);
        next();
      },
    ],
    afterKey: [
      (request, _response, next) => {
        seen.push(`after the key: ${request.context.key?.plan}`);
        const isBlocked = request.headers['x-blocked'] !== undefined;
        next(
          isBlocked ? new ApiError('service_unavailable', 'Not now.', { headers: { 'Retry-After': '5' } }) : undefined,
        );
      },
    ],
    afterResponse: [({ operation, status }) => void seen.push(`${operation} ${status}`)],
  };
  await using server = await startTestServer({ service: { ...api, middleware: () => middleware } });
  const webhook = await fetch(`${server.url}/webhooks/payments`, { method: 'POST' });
  expect([webhook.status, await webhook.json()]).toEqual([202, { accepted: true }]);
  expect((await server.call('listPets')).status).toBe(200);
  expect((await server.call('listPets', { key: null })).status).toBe(401);
  const blocked = await server.call('listPets', { headers: { 'x-blocked': 'yes' } });
  expect([blocked.status, blocked.body.code, blocked.headers.get('x-ratelimit-limit')]).toEqual([
    503,
    'service_unavailable',
    '1000',
  ]);
  await server.stop();
  expect(seen).toEqual([
    'unknown 202',
    ...['before the key: undefined', 'after the key: business', 'listPets 200'],
    ...['before the key: undefined', 'listPets 401'],
    ...['before the key: undefined', 'after the key: business', 'listPets 503'],
  ]);
});

test('a server refuses operations that the contract does not have, and in production, those that are missing', async () => {
  const more = Object.assign({ ...operations }, { listCats: operations.listPets });
  await expect(startTestServer({ operations: more })).rejects.toThrow('The contract has no operation listCats: ');
  const fewer = { ...operations };
  Reflect.deleteProperty(fewer, 'getPet');
  const config = { production: true };
  await expect(startTestServer({ operations: fewer, config })).rejects.toThrow('There is no code for getPet: ');
  Reflect.set(fewer, 'getPet', undefined);
  await expect(startTestServer({ operations: fewer, config })).rejects.toThrow('There is no code for getPet: ');
});

test('a server refuses a job with a time that is none, before it listens', async () => {
  const jobs = { cleanUp: { every: '0 minutes', run: async () => {} } } as const;
  const started = startTestServer({ service: { ...api, jobs } });
  await expect(started).rejects.toThrow('The job cleanUp has the time "0 minutes". Write a whole number and a unit');
});

const rex = { name: 'Rex', categoryId: 3 };
const json = { 'content-type': 'application/json' };

const startWith = (middleware: OwnMiddleware) => startTestServer({ service: { ...api, middleware: () => middleware } });

/** The lines of the log about requests that got a response. */
function accessLines(log: string): Record<string, unknown>[] {
  return log
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
}

describe('an observer of responses', () => {
  test('that throws or rejects is logged, and the other observers still run', async () => {
    const seen: number[] = [];
    const middleware: OwnMiddleware = {
      afterResponse: [
        () => {
          throw new Error('the counter is broken');
        },
        async () => {
          await setTimeout(1);
          throw new Error('the collector is away');
        },
        ({ status }) => void seen.push(status),
      ],
    };
    await using server = await startWith(middleware);
    for (let call = 0; call < 2; call += 1) expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await eventually(() => server.log().includes('the collector is away') && seen.length === 2, server.log);
    await server.stop();
    expect(seen).toEqual([200, 200]);
    expect(server.log().match(/the counter is broken/g)?.length).toBeGreaterThanOrEqual(2);
    expect(server.log()).toContain('the collector is away');
    expect(server.log()).toContain('an observer in afterResponse failed');
  });
});

test('an observer gets values and functions, because V8 would keep the request of an object with a getter', async () => {
  const seen: ObservedResponse[] = [];
  await using server = await startTestServer({
    service: { ...api, middleware: () => ({ afterResponse: [(response) => void seen.push(response)] }) },
  });
  await fetch(`${server.url}/healthz`);
  const [response] = seen;
  expect(response?.address()).toBe('127.0.0.1');
  expect(Object.values(Object.getOwnPropertyDescriptors(response)).filter(({ get }) => get !== undefined)).toEqual([]);
});

describe('a body that a middleware has already read', () => {
  const readsFirst: RequestHandler = (request, _response, next) => void request.once('data', () => next());
  const later: RequestHandler = (_request, _response, next) => void setTimeout(20).then(() => next());

  test.each<[string, OwnMiddleware]>([
    ['by express.json() before the key', { beforeKey: [express.json()] }],
    ['by express.json() after the key', { afterKey: [express.json()] }],
    ['by express.json() long before the operation', { afterKey: [express.json(), later] }],
    ['in part', { afterKey: [readsFirst] }],
  ])('%s, gets 500 at once, and the log names the way out', async (_, middleware) => {
    await using server = await startWith(middleware);
    const response = await server.call('createPet', { body: rex, headers: { connection: 'close' } });
    expect([response.status, response.body.code]).toEqual([500, 'internal_error']);
    expect(server.log()).toContain('A middleware has already read the body of this request.');
    expect(server.log()).toContain('own routes only');
  });

  test('is of no concern to an own route, or to an operation without a body', async () => {
    const echo = Router().post('/echo', express.json(), ({ body }, response) => void response.json(body));
    await using server = await startWith({ beforeKey: [echo], afterKey: [express.json()] });
    const response = await fetch(`${server.url}/echo`, { method: 'POST', headers: json, body: '{"a":1}' });
    expect(await response.json()).toEqual({ a: 1 });
    expect((await server.call('listPets')).status).toBe(200);
  });
});

test('an error that the contract does not have is logged with the code that was sent in its place', async () => {
  const refuse: RequestHandler = (_request, _response, next) => next(new ApiError('forbidden', 'No.'));
  await using server = await startWith({ afterKey: [refuse] });
  expect((await server.call('listPets')).body.code).toBe('internal_error');
  await server.stop();
  expect(accessLines(server.log())).toMatchObject([{ status: 500, code: 'internal_error' }]);
});
