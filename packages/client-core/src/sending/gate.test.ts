import { describe, expect, test } from '@jest/globals';
import { createVirtualTime, timersOf } from '../../test/virtual-time.ts';
import { defaults, type Policy } from '../options.ts';
import type { ClientEvent } from './events.ts';
import { createGate, type Pass } from './gate.ts';
import type { Heard } from './gate-state.ts';
import type { SharedGate } from './shared-gate.ts';

const start = Date.parse('2026-12-01T12:00:10Z');
const quota = { limit: 5_000, remaining: 3_000, reset: start + 50_000 };
const ok: Heard = { status: 200, quota, resetIn: 50_000 };

function refused(retryAfter: number, code = 'rate_limited'): Heard {
  return { status: 429, code, retryAfter: retryAfter * 1_000 };
}

function setUp(policy: Partial<Policy> = {}, shared?: SharedGate) {
  const clock = { now: start };
  const time = createVirtualTime(clock, () => 0.5);
  const events: ClientEvent[] = [];
  const all = { ...defaults, ...policy };
  const gate = createGate(all, time, (event) => void events.push(event), shared);
  const never = new AbortController().signal;
  const left: string[] = [];
  const passes: Pass[] = [];
  /** Enters the gate, and records when the call was sent, in milliseconds from the start. */
  const call = async (name: string, signal = never, isRetry = false, own = {}) => {
    const pass = await gate.enter({
      signal,
      policy: { ...all, ...own },
      start: clock.now,
      end: Infinity,
      attempts: isRetry ? 1 : 0,
    });
    if ('code' in pass) return pass;
    left.push(`${name} ${clock.now - start}`);
    passes.push(pass);
    return undefined;
  };
  /** Ends the request that has been in flight for the longest time. */
  const endCall = (heard: Heard) => gate.endCall(passes.shift() ?? { epoch: 0, at: 0, expires: 0 }, heard);
  /** Makes a first call, so that the quota is known. */
  const warmUp = async () => {
    await call('first');
    endCall(ok);
    left.length = 0;
  };
  return { gate: { endCall, resume: gate.resume }, call, left, events, time, warmUp };
}

const remembers: SharedGate = { publish: () => {}, subscribe: () => {} };

test.each([
  [50, remembers],
  [500, { ...remembers, forgets: true }],
  [500, undefined],
])('a request that is slow or gets no response delays no other by more than %i ms', async (delay, shared) => {
  const { call, left, gate } = setUp({}, shared);
  const names = ['b', 'c', 'd', 'e', 'f'];
  await Promise.all(['hangs', ...names].map((name) => call(name)));
  expect(left).toEqual(['hangs 0', ...names.map((name) => `${name} ${delay}`)]);
  const last = call('g');
  gate.endCall({ status: 0 });
  await last;
  expect(left.slice(6)).toEqual([`g ${delay}`]);
});

test('in the next window, a request that hangs delays no other', async () => {
  const { call, left, gate, time } = setUp();
  await call('first');
  gate.endCall(ok);
  await time.sleep(60_000, new AbortController().signal);
  await Promise.all(['hangs', 'b', 'c'].map((name) => call(name)));
  expect(left).toEqual(['first 0', 'hangs 60000', 'b 60000', 'c 60000']);
});

test('one call is sent first, and the others once the quota is known, up to the number that may be in flight', async () => {
  const { gate, call, left } = setUp({ maxConcurrent: 2 });
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => call(name)));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  expect(left).toEqual(['a 0']);
  gate.endCall(ok);
  await settled();
  expect(left).toEqual(['a 0', 'b 0', 'c 0']);
  gate.endCall(ok);
  await all;
  expect(left).toEqual(['a 0', 'b 0', 'c 0', 'd 0']);
});

describe('a gate that a refusal has shut', () => {
  test('holds every call until it opens, then sends one, and after its response the others at shorter and shorter intervals', async () => {
    const { gate, call, left } = setUp();
    await call('first');
    gate.endCall(refused(20));
    const answered = async (name: string, isRetry = false) => {
      await call(name, undefined, isRetry);
      gate.endCall(ok);
    };
    await Promise.all([answered('b'), answered('c'), answered('d'), answered('e'), answered('first', true)]);
    expect(left).toEqual(['first 0', 'first 20375', 'b 20425', 'c 20450', 'd 20462', 'e 20468']);
  });

  test('returns to its full pace although calls are always waiting', async () => {
    const { gate, call, left, time } = setUp();
    await call('first');
    gate.endCall(refused(20));
    const busy = async (_: unknown, number: number) => {
      await call(`${number}`);
      await time.sleep(5, new AbortController().signal);
      gate.endCall(ok);
    };
    await Promise.all(Array.from({ length: 500 }, busy));
    const times = left.slice(1).map((text) => Number(text.split(' ')[1]));
    expect(Math.min(...times)).toBe(20_375);
    // At full pace ten calls of 5 ms each are in flight at once, which takes 250 ms.
    expect(Math.max(...times)).toBeLessThan(20_375 + 250 + 250);
  });

  test('refuses calls at once if the wait is too long, until the end is close enough', async () => {
    const { gate, call, left } = setUp({ maxRetryAfter: 10_000 });
    await call('first');
    gate.endCall(refused(20, 'key_banned'));
    expect(await Promise.all([call('b'), call('c')])).toEqual([
      { code: 'key_banned', retryAfter: 20_000 },
      { code: 'key_banned', retryAfter: 20_000 },
    ]);
    expect(left).toEqual(['first 0']);
  });

  test('refuses waiting calls when it is shut for longer', async () => {
    const { gate, call, warmUp } = setUp();
    await warmUp();
    await Promise.all([call('a'), call('b')]);
    gate.endCall(refused(20));
    const waiting = call('c');
    gate.endCall(refused(600, 'key_banned'));
    expect(await waiting).toEqual({ code: 'key_banned', retryAfter: 600_000 });
  });

  test('announces that it is shut, and when it opens', async () => {
    const { gate, call, events, warmUp } = setUp();
    await warmUp();
    await Promise.all([call('a'), call('b')]);
    gate.endCall(refused(20));
    gate.endCall(refused(21));
    expect(await call('c')).toBeUndefined();
    expect(events).toEqual([
      { type: 'gate', state: 'shut', retryAfter: 20_000, code: 'rate_limited' },
      { type: 'gate', state: 'open' },
    ]);
  });
});

test('announces again if it stays shut for much longer, even for the same reason', async () => {
  const { gate, call, events, warmUp } = setUp();
  await warmUp();
  await Promise.all([call('a'), call('b')]);
  gate.endCall(refused(5));
  gate.endCall(refused(50));
  expect(events).toEqual([
    { type: 'gate', state: 'shut', retryAfter: 5_000, code: 'rate_limited' },
    { type: 'gate', state: 'shut', retryAfter: 50_000, code: 'rate_limited' },
  ]);
});

describe('a call that is aborted', () => {
  test('before it enters is not sent', async () => {
    const { call, left } = setUp();
    await expect(call('a', AbortSignal.abort('changed my mind'))).rejects.toBe('changed my mind');
    expect(left).toEqual([]);
  });

  test('while it waits leaves neither an entry in the queue nor a timer', async () => {
    const { gate, call, left, time } = setUp();
    await call('first');
    gate.endCall(refused(20));
    const controller = new AbortController();
    const waiting = call('a', controller.signal);
    controller.abort('changed my mind');
    await expect(waiting).rejects.toBe('changed my mind');
    expect(timersOf(time)).toBe(0);
    await call('b');
    expect(left).toEqual(['first 0', 'b 20375']);
  });
});

test('only a success, or a response with a quota, tells other clients that a refusal has ended', async () => {
  for (const [heard, isEnded] of [
    [{ status: 403 }, undefined],
    [{ status: 0 }, undefined],
    [{ status: 204 }, true],
    [{ ...ok, status: 404 }, true],
  ] as const) {
    const news: Heard[] = [];
    const { call, gate } = setUp({}, { publish: (one) => void news.push(one), subscribe: () => {} });
    gate.resume();
    news.length = 0;
    await call('first');
    gate.endCall(heard);
    expect([heard.status, news.at(-1)?.resumed]).toEqual([heard.status, isEnded]);
  }
});

test('a shared gate that never answers delays only the calls of the first second', async () => {
  const { call, left } = setUp({}, { publish: () => {}, subscribe: () => new Promise(() => {}) });
  await call('first');
  await call('second');
  expect(left).toEqual(['first 1000', 'second 1050']);
});
