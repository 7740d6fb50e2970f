import { banRules } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { createClient } from '../../../client-core/src/client.ts';
import { withCredentials } from '../../../client-core/src/credentials.ts';
import { createVirtualTime, installTime } from '../../../client-core/test/virtual-time.ts';
import type { Problem } from '../../../service/src/openapi/error-body.ts';
import { effectiveContract } from '../../../tooling/src/effective/effective.ts';
import { serve } from './serve-contract.ts';

// A server whose errors have another form than those of the client, and a number as their code.
const error = { type: 'object', required: ['error'], properties: { error: { type: 'string' }, code: {} } };
const json = <Schema>(schema: Schema) => ({ description: 'JSON', content: { 'application/json': { schema } } });
const later = { ...json(error), headers: { 'Retry-After': { schema: { type: 'integer' } } } };
const responses = { 200: json({ type: 'integer' }), 400: json(error), 404: json(error), 429: json({}), 503: later };
const parameters = [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }];
const adopted = effectiveContract(
  {
    openapi: '3.1.0',
    info: { title: 'Harbour', version: '1' },
    'x-rate-limits': { plans: { free: { title: 'Free', perMinute: 20, perDay: 10_000 } }, ban: banRules },
    security: [{ bearer: [] }],
    paths: {
      '/berths': { get: { operationId: 'list', responses }, post: { operationId: 'add', parameters, responses } },
      '/ships': { post: { operationId: 'addShip', responses } },
    },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  },
  'harbour',
);

/** A client of such a server, the codes of the errors that the server itself sends, and what an operation answers next. */
async function start() {
  const clock = { now: Date.parse('2026-12-01T12:00:10Z') };
  const codes: string[] = [];
  const next: object[] = [];
  const answer = async () => Object(next.shift() ?? { status: 200, body: 1 });
  const errorBody = ({ code, message }: Problem) => codes.push(code) && { error: message, code: 7 };
  const operations = { list: answer, add: answer, addShip: answer };
  const served = await serve(adopted, operations, {}, { clock: () => clock.now, errorBody });
  codes.length = 0;
  const { secret: apiKey } = await served.keys.create({ plan: 'free' });
  const { fetch } = installTime(createVirtualTime(clock, () => 0.5));
  const sent: string[] = [];
  const facts = { name: 'harbour', requestMediaTypes: {}, ...Object(served.contract) };
  const options = {
    ...{ apiKey, baseUrl: served.origin },
    async fetch(request: Request) {
      sent.push(`${request.method} ${request.headers.get('Idempotency-Key')}`);
      const response = await fetch(request);
      response.headers.delete('X-RateLimit-Remaining');
      return response;
    },
  };
  const client = createClient<Record<string, never>>(...withCredentials(facts, options));
  const call: (method: string, path: string, init?: object) => ReturnType<typeof client.GET> = Object(client).request;
  return { call, codes, next, sent, clock, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

test('errors of operations and of the server itself are data, and what is not documented is none', async () => {
  await using harbour = await start();
  harbour.next.push({ status: 404, body: { error: 'No berth.' } });
  const results = [
    await harbour.call('get', '/berths'),
    await harbour.call('get', '/berths', { params: { query: { unknown: 1 } } }),
    await harbour.call('get', '/none'),
  ];
  expect(results.map(({ error }) => [error?.status, error?.code, error?.data])).toEqual([
    [404, 'documented_error', { error: 'No berth.' }],
    [400, 'documented_error', { error: expect.stringContaining('query/unknown'), code: 7 }],
    [404, 'unexpected_response', undefined],
  ]);
});

test('calls beyond the quota wait, and never get the key banned', async () => {
  await using harbour = await start();
  const results = await Promise.all(Array.from({ length: 100 }, () => harbour.call('get', '/berths')));
  expect(results.filter(({ data }) => data !== 1).map(({ error }) => error)).toEqual([]);
  expect(new Set(harbour.codes)).toEqual(new Set(['rate_limited']));
  expect(harbour.codes.length).toBeLessThan(15);
});

test('a refusal is data, and a call that is not sent because of it has none', async () => {
  await using harbour = await start();
  const errors = [];
  for (let count = 0; count < 22; count += 1) {
    errors.push((await harbour.call('get', '/berths', { maxRetryAfter: 0 })).error);
  }
  const shown = errors.slice(19).map((error) => error && [error.status, error.code, error.data, error.sent]);
  const data = { error: expect.any(String), code: 7 };
  expect(shown).toEqual([undefined, [429, 'documented_error', data, true], [429, 'rate_limited', undefined, false]]);
});

test('a 503 is sent again after its Retry-After, and a POST only with its Idempotency-Key', async () => {
  await using harbour = await start();
  const {
    clock: { now },
    next,
    sent,
  } = harbour;
  const busy = { status: 503, body: { error: 'Busy.' }, headers: { 'Retry-After': '20' } };
  next.push(busy);
  expect((await harbour.call('post', '/berths')).error).toBeUndefined();
  expect(harbour.clock.now - now).toBeGreaterThanOrEqual(20_000);
  expect([sent.length, new Set(sent).size]).toEqual([2, 1]);
  next.push(busy);
  expect((await harbour.call('post', '/ships')).error).toMatchObject({ code: 'documented_error', data: busy.body });
  expect(sent).toHaveLength(3);
});
