import { describe, expect, test } from '@jest/globals';
import { createVirtualTime, timersOf } from '../../test/virtual-time.ts';
import { defaults, type Policy } from '../options.ts';
import type { Call } from './attempt.ts';
import type { ClientEvent } from './events.ts';
import { createSender } from './send.ts';

const start = Date.parse('2026-12-01T12:00:10Z');

type Answer = { status: number; headers?: Record<string, string>; code?: string } | Error;

/** A sender whose API returns these responses one after another, and successes after the last one. */
function setUp(answers: Answer[], policy: Partial<Policy> = {}) {
  const clock = { now: start };
  const sent: number[] = [];
  const events: ClientEvent[] = [];
  const time = createVirtualTime(
    clock,
    () => 0.5,
    async () => {
      sent.push(clock.now - start);
      const answer = answers.shift() ?? { status: 200 };
      if (answer instanceof Error) throw answer;
      const { status, headers = {}, code } = answer;
      return Response.json({ code, status }, { status, headers });
    },
  );
  const all = { ...defaults, ...policy };
  const emit = (event: ClientEvent) => void events.push(event);
  const sender = createSender('a', all, time, emit);
  const call = (signal: AbortSignal): Call => ({
    ...{
      number: 1,
      operation: 'GET /notes',
      policy: all,
      parseAs: 'json',
      isStreamed: false,
      idempotencyKey: undefined,
    },
    ...{ signal, start: clock.now, end: Infinity, attempts: 0, unconnected: 0 },
  });
  const send = ({ signal = new AbortController().signal, ...init }: RequestInit & { signal?: AbortSignal } = {}) =>
    sender.send(new Request('http://a.example/notes', init), call(signal));
  return { sender, send, call, sent, events, time };
}

const refused = { status: 429, code: 'rate_limited', headers: { 'Retry-After': '20' } };
const broken = new TypeError('fetch failed');

describe('a call', () => {
  test('that succeeds is sent once', async () => {
    const { send, sent } = setUp([]);
    expect((await send()).status).toBe(200);
    expect(sent).toEqual([0]);
  });

  test('that waits for a retry is sent again at once when the client is resumed', async () => {
    const { sender, send, sent, events } = setUp([{ status: 503, headers: { 'Retry-After': '60' } }]);
    const response = send();
    while (!events.some(({ type }) => type === 'retry')) await new Promise((resolve) => setImmediate(resolve));
    sender.resume();
    expect((await response).status).toBe(200);
    expect(sent).toEqual([0, 0]);
  });

  test('is sent again, with exponential backoff, until it succeeds', async () => {
    const { send, sent } = setUp([broken, { status: 503 }]);
    expect((await send()).status).toBe(200);
    expect(sent).toEqual([0, 375, 1_125]);
  });

  test('returns its last response when all attempts have failed', async () => {
    const { send, sent } = setUp([broken, { status: 502 }, { status: 503, code: 'service_unavailable' }]);
    const response = await send();
    expect([response.status, await response.json()]).toEqual([503, { code: 'service_unavailable', status: 503 }]);
    expect(sent).toHaveLength(3);
  });

  test('rejects if its last attempt got no response', async () => {
    const { send } = setUp([{ status: 503 }, broken, broken]);
    await expect(send()).rejects.toMatchObject({ name: 'NetworkError', cause: broken });
  });

  test('with POST is sent again only if it has an Idempotency-Key', async () => {
    const { send, sent } = setUp([{ status: 503 }, { status: 503 }]);
    expect((await send({ method: 'POST' })).status).toBe(503);
    expect((await send({ method: 'POST', headers: { 'Idempotency-Key': 'a' } })).status).toBe(200);
    expect(sent).toEqual([0, 0, 375]);
  });

  test('aborted while its key is requested is not sent', async () => {
    const controller = new AbortController();
    const events: ClientEvent[] = [];
    const { call, time, sent } = setUp([]);
    const key = async () => {
      controller.abort('enough');
      return 'a';
    };
    const sender = createSender(key, defaults, time, (event) => void events.push(event));
    const sending = sender.send(new Request('http://a.example/notes'), call(controller.signal));
    await expect(sending).rejects.toBe('enough');
    expect([sent, events]).toEqual([[], []]);
  });

  test('aborted between two attempts rejects at once, and leaves no timer', async () => {
    const { send, sent, events, time } = setUp([{ status: 503 }]);
    const controller = new AbortController();
    const call = send({ signal: controller.signal });
    while (!events.some(({ type }) => type === 'retry')) await Promise.resolve();
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
    expect([sent, timersOf(time)]).toEqual([[0], 0]);
  });
});

describe('a call that is refused', () => {
  test('is sent again after Retry-After, and so are others', async () => {
    const { send, sent, events } = setUp([refused]);
    const first = send();
    while (!events.some(({ type }) => type === 'gate')) await Promise.resolve();
    await Promise.all([first, send(), send()]);
    // The gateway's response has no quota headers, so each call waits for the previous one.
    expect(sent).toEqual([0, 20_375, 20_425, 20_475]);
  });

  test('for too long ends with the response of the API; later calls end without sending a request', async () => {
    const ban = { status: 429, code: 'key_banned', headers: { 'Retry-After': '600' } };
    const { send, sent } = setUp([ban]);
    const [first, second] = [await send(), await send()];
    expect(await first.json()).toEqual({ code: 'key_banned', status: 429 });
    expect(second.status).toBe(429);
    expect(second.headers.get('Retry-After')).toBe('600');
    expect(await second.json()).toEqual({
      code: 'key_banned',
      message: 'The request was not sent, because the API would refuse it. Try again in 600 s.',
    });
    expect(sent).toEqual([0]);
  });

  test('by something other than the API waits as well', async () => {
    const { send, sent } = setUp([{ status: 429 }]);
    await send();
    expect(sent).toEqual([0, 8_375]);
  });
});

test('waits for refusals that follow one another take no longer than `maxRetryAfter` together, for every call', async () => {
  const gateway = Array.from({ length: 200 }, () => ({ status: 429, headers: { 'Retry-After': '1' } }));
  const { send, sent, time } = setUp(gateway, { maxRetryAfter: 3_000 });
  const responses = await Promise.all(Array.from({ length: 10 }, () => send()));
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(429));
  expect(time.clock() - start).toBeLessThanOrEqual(3_000);
  expect(sent.length).toBeLessThanOrEqual(3);
});

test('waits before the retries of a call take no longer than `maxRetryAfter` together', async () => {
  const busy = { status: 503, headers: { 'Retry-After': '2' } };
  const { send, sent } = setUp([busy, busy, busy], { maxRetryAfter: 3_000 });
  expect([(await send()).status, sent.length]).toEqual([503, 2]);
});

test('the latest state of the quota is known', async () => {
  const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '58', 'X-RateLimit-Reset': '1796126460' };
  const { sender, send } = setUp([{ status: 200, headers }]);
  expect(sender.rateLimit()).toBeUndefined();
  await send();
  await send();
  expect(sender.rateLimit()).toEqual({ limit: 60, remaining: 58, reset: new Date('2026-12-01T12:01:00Z') });
});

test('events report everything that a call does', async () => {
  const { send, events } = setUp([broken, refused]);
  await send({ method: 'POST', headers: { 'Idempotency-Key': 'rex' } });
  const about = { method: 'POST', url: 'http://a.example/notes', idempotencyKey: 'rex' };
  const common = { duration: 0, requestId: undefined, rateLimit: undefined };
  expect(events).toMatchObject([
    { type: 'request', ...about, attempt: 1 },
    { type: 'retry', ...about, attempt: 1, delay: 375, cause: { cause: broken } },
    { type: 'request', ...about, attempt: 2 },
    { type: 'response', ...about, ...common, attempt: 2, status: 429 },
    { type: 'gate', state: 'shut', retryAfter: 20_000, code: 'rate_limited' },
    { type: 'retry', ...about, attempt: 2, delay: 0, cause: 429 },
    { type: 'gate', state: 'open' },
    { type: 'request', ...about, attempt: 3 },
    { type: 'response', ...about, ...common, attempt: 3, status: 200 },
  ]);
});
