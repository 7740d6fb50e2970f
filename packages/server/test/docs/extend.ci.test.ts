import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { AnyCall } from '../../../service/src/openapi/operation.ts';
import { root } from '../../../tooling/src/project.ts';
import { adoptPaths, serve } from '../own-api/serve-contract.ts';
import { receivePayment } from './extend.ts';

const recipes = readFileSync(join(import.meta.dirname, 'extend.ts'), 'utf8').replaceAll(/\s+/g, ' ');
const blocks = [...readFileSync(join(root, 'docs/extend.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)];
const tested = blocks.map(([, code = '']) => code.trim()).filter((code) => !code.includes('payOrder'));

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
          required: true,
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
  expect(await send('not JSON')).toEqual([400, expect.stringContaining('JSON')]);
  now += 301_000;
  expect(await send()).toEqual([400, 'The webhook is too old.']);
  expect(events.size).toBe(1);
});
