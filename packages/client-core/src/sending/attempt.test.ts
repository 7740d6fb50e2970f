import { describe, expect, test } from '@jest/globals';
import { createVirtualTime, timersOf } from '../../test/virtual-time.ts';
import { NetworkError, TimeoutError } from '../errors.ts';
import { defaults } from '../options.ts';
import { attemptOnce, type Call } from './attempt.ts';

const policy = { ...defaults, timeout: 1_000, maxResponseBytes: 10 };

function newCall(signal = new AbortController().signal): Call {
  return {
    number: 1,
    policy,
    signal,
    parseAs: 'json',
    isStreamed: false,
    start: 0,
    end: Infinity,
    idempotencyKey: undefined,
    operation: 'GET /notes',
    attempts: 0,
    unconnected: 0,
  };
}

function setUp(fetch: (request: Request) => Promise<Response>) {
  const time = createVirtualTime({ now: 0 }, () => 0);
  const attempt = ({ signal }: { signal?: AbortSignal } = {}) =>
    attemptOnce(new Request('http://a.example/notes'), newCall(signal), { fetch, sleep: time.sleep });
  return { attempt, time };
}

/** A fetch that never resolves, and either respects its signal as the real one does, or ignores it. */
function hanging(looksAtSignal: boolean) {
  return (request: Request) =>
    new Promise<Response>((_, reject) => {
      if (looksAtSignal) request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
}

test('a response is returned unchanged, with its whole body', async () => {
  const { attempt, time } = setUp(async () => Response.json([1], { status: 201, headers: { 'X-A': 'b' } }));
  const response = await attempt();
  expect([response.status, response.headers.get('X-A'), await response.json()]).toEqual([201, 'b', [1]]);
  expect(timersOf(time)).toBe(0);
});

test('a body in several parts is returned whole, without a clone of the response, which shares its body in happy-dom', async () => {
  const parts = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>();
  const writer = parts.writable.getWriter();
  for (const byte of [1, 2, 3]) void writer.write(new Uint8Array([byte, byte]));
  void writer.close();
  const response = new Response(parts.readable);
  const { attempt } = setUp(async () => Object.assign(response, { clone: () => response }));
  expect([...(await (await attempt()).bytes())]).toEqual([1, 1, 2, 2, 3, 3]);
});

test('the body of a request can be sent again', async () => {
  const sent: string[] = [];
  const fetch = async (request: Request) => {
    sent.push(await request.text());
    return new Response();
  };
  const request = new Request('http://a.example/notes', { method: 'POST', body: 'Emma' });
  const { time } = setUp(fetch);
  for (let attempt = 0; attempt < 2; attempt += 1) await attemptOnce(request, newCall(), { fetch, sleep: time.sleep });
  expect(sent).toEqual(['Emma', 'Emma']);
});

describe('a call without a response rejects with', () => {
  test('a NetworkError whose message contains the root cause', async () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const cause = new TypeError('fetch failed', { cause: refused });
    const { attempt, time } = setUp(() => Promise.reject(cause));
    const error = await attempt().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ message: 'No response to GET http://a.example/notes: ECONNREFUSED', cause });
    expect(timersOf(time)).toBe(0);
  });
});

test('a body over the limit is not read to its end, and is reported', async () => {
  const pulled: number[] = [];
  const body = new ReadableStream({
    pull(controller) {
      pulled.push(8);
      controller.enqueue(new Uint8Array(8));
    },
  });
  const call = newCall();
  const { time } = setUp(async () => new Response());
  const fetch = async () => new Response(body);
  await attemptOnce(new Request('http://a.example/notes'), call, { fetch, sleep: time.sleep });
  expect(call.problem).toBe('more than 10 bytes');
  expect(pulled.length).toBeLessThan(5);
});

test('a body over the limit says nothing about the next attempt', async () => {
  const call = newCall();
  const { time } = setUp(async () => new Response());
  const bodies = ['a text of more than ten bytes', 'short'];
  const fetch = async () => new Response(bodies.shift());
  const attempt = () => attemptOnce(new Request('http://a.example/notes'), call, { fetch, sleep: time.sleep });
  await attempt();
  expect(call.problem).toBe('more than 10 bytes');
  expect(await (await attempt()).text()).toBe('short');
  expect(call.problem).toBeUndefined();
});

test.each([
  new TypeError('fetch failed', { cause: new Error('no token') }),
  new TypeError('Failed to fetch'),
  Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' }),
  new DOMException('The operation was aborted.', 'AbortError'),
])('a fetch that fails rejects with a NetworkError: %s', async (cause) => {
  await expect(setUp(() => Promise.reject(cause)).attempt()).rejects.toMatchObject({ name: 'NetworkError', cause });
});

test.each([
  ['ECONNREFUSED', 1],
  ['ECONNRESET', 0],
])('a call knows after %s whether it may have reached the API', async (code, unconnected) => {
  const call = newCall();
  const fetch = async () => {
    throw new TypeError('fetch failed', { cause: new Error(`connect ${code} 127.0.0.1:1`) });
  };
  const { time } = setUp(fetch);
  const sending = attemptOnce(new Request('http://a.example/notes'), call, { fetch, sleep: time.sleep });
  await expect(sending).rejects.toMatchObject({ name: 'NetworkError' });
  expect(call.unconnected).toBe(unconnected);
});

describe.each([true, false])('if fetch respects its signal: %p', (looksAtSignal) => {
  test('an attempt that takes too long rejects with a TimeoutError', async () => {
    const { attempt, time } = setUp(hanging(looksAtSignal));
    const error = await attempt().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ message: 'No response to GET http://a.example/notes within 1000 ms.' });
    expect(timersOf(time)).toBe(0);
  });

  test('a call that is aborted rejects with the reason of its signal', async () => {
    const { attempt, time } = setUp(hanging(looksAtSignal));
    const controller = new AbortController();
    const call = attempt({ signal: controller.signal });
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
    expect(timersOf(time)).toBe(0);
  });
});
