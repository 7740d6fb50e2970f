import { expect, test } from '@jest/globals';
import { Router } from 'express';
import { ApiError } from '../../service/src/contract/api-error.ts';
import type { OwnMiddleware } from '../../service/src/contract/service-parts.ts';
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
  await using server = await startTestServer({ service: { ...api, middleware } });
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
  await expect(startTestServer({ operations: more })).rejects.toThrow('The contract has no operation listCats.');
  const fewer = { ...operations };
  Reflect.deleteProperty(fewer, 'getPet');
  const config = { production: true };
  await expect(startTestServer({ operations: fewer, config })).rejects.toThrow('getPet has no implementation.');
  Reflect.set(fewer, 'getPet', undefined);
  await expect(startTestServer({ operations: fewer, config })).rejects.toThrow('getPet has no implementation.');
});
