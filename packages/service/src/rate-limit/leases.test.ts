import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { countRequest, emptyUsage, type Quota } from './count-request.ts';
import type { SharedRequest } from './counters.ts';
import { Leases } from './leases.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const large = { perMinute: 1_000_000, perDay: 10_000_000 };

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

/** Counts requests of a caller as a server does. `counted` is what the counters, which count ahead as PostgreSQL does, have counted. */
function serverWith(counted = emptyUsage(0)) {
  const leases = new Leases();
  const asked: SharedRequest[] = [];
  let answers = Promise.resolve();
  const ask = async (request: SharedRequest) => {
    asked.push(request);
    await answers;
    const { ahead = 0, quota, unused, now = Date.now() } = request;
    if (unused?.minute === counted.minute) counted.minuteUsed -= unused.requests;
    counted.dayUsed -= unused?.requests ?? 0;
    const { outcome, banStarted, remaining } = countRequest(counted, quota, now, undefined);
    const usage = { ...counted };
    const left = Math.min(ahead, Math.floor(remaining / 1_000));
    counted.minuteUsed += left;
    counted.dayUsed += left;
    return { outcome, banStarted, usage, now, ahead: left };
  };
  const count = async (quota: Quota = large, caller = 'key:a') => {
    const request = { caller, quota, rules: undefined, usage: emptyUsage(0) };
    const { usage, ...decision } = leases.take(request) ?? (await leases.ask(request, ask));
    // The next request changes it.
    return { ...decision, usage: { ...usage } };
  };
  const answerLate = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers = promise;
    return resolve;
  };
  return { count, asked, counted, answerLate };
}

/** Sends requests at the same intervals within a time. */
async function send(count: () => Promise<unknown>, requests: number, milliseconds: number): Promise<void> {
  for (let sent = 0; sent < requests; sent += 1) {
    await count();
    jest.advanceTimersByTime(milliseconds / requests);
  }
}

test('a caller that sends up to a thousand requests per second is never counted ahead', async () => {
  const { count, asked, counted } = serverWith();
  await send(count, 1_900, 2 * SECOND);
  expect(asked).toHaveLength(1_900);
  expect(counted.dayUsed).toBe(1_900);
});

test('a caller that sends more is asked for about twenty times a second, and each request has the next number', async () => {
  const { count, asked } = serverWith();
  await send(count, 5_000, SECOND);
  asked.length = 0;
  const used: number[] = [];
  await send(async () => used.push((await count()).usage.dayUsed), 5_000, SECOND);
  expect(used).toEqual(used.map((_, index) => 5_001 + index));
  expect(asked.length).toBeLessThanOrEqual(30);
});

test('while the counters are asked, other requests use the rest of the lease, and each number is given once', async () => {
  const { count, asked, answerLate } = serverWith();
  await send(count, 5_000, SECOND);
  asked.length = 0;
  const answer = answerLate();
  const used: number[] = [];
  const requests: Promise<unknown>[] = [];
  const note = () => requests.push(count().then(({ usage }) => used.push(usage.dayUsed)));
  while (asked.length === 0) note();
  for (let more = 0; more < 50; more += 1) note();
  expect(asked).toHaveLength(1);
  answer();
  await Promise.all(requests);
  expect(used.toSorted((one, other) => one - other)).toEqual(used.map((_, index) => 5_001 + index));
});

test('what was counted ahead and did not come is given back with the next request', async () => {
  const { count, counted } = serverWith();
  await send(count, 5_000, SECOND);
  expect(counted.dayUsed).toBeGreaterThan(5_000);
  jest.advanceTimersByTime(5 * SECOND);
  await count();
  expect(counted).toMatchObject({ minuteUsed: 5_001, dayUsed: 5_001 });
});

test('in the next minute, the counters are asked, and the rest of the last one is given back to the day', async () => {
  const { count, counted } = serverWith();
  jest.advanceTimersByTime(MINUTE - SECOND);
  await send(count, 5_000, SECOND);
  jest.advanceTimersByTime(1);
  expect(await count()).toMatchObject({ usage: { minute: 1, minuteUsed: 1, dayUsed: 5_001 } });
  // A twentieth of the last second's requests is counted ahead again.
  expect(counted).toMatchObject({ minuteUsed: 251, dayUsed: 5_251 });
});

test('quotas are exact: nothing is counted ahead for a caller with few requests left', async () => {
  const { count, counted } = serverWith();
  const small = { perMinute: 900, perDay: 100_000 };
  await send(() => count({ perMinute: 10_000, perDay: 100_000 }), 5_000, SECOND);
  jest.advanceTimersByTime(MINUTE);
  await send(() => count(small), 900, SECOND / 2);
  expect(counted.minuteUsed).toBe(900);
  expect(await count(small)).toMatchObject({ outcome: 'limited' });
});

test('a ban ends the lease, so that no request of the caller is allowed until the counters allow it', async () => {
  const { count, asked, counted } = serverWith();
  await send(count, 5_000, SECOND);
  counted.bannedUntil = 10 * SECOND;
  asked.length = 0;
  while (asked.length === 0) await count();
  expect(await count()).toMatchObject({ outcome: 'banned' });
});

test('another quota, and another caller, are asked for', async () => {
  const { count, asked } = serverWith();
  await send(count, 5_000, SECOND / 2);
  asked.length = 0;
  await count({ ...large, perDay: 9_999_999 });
  await count(large, 'key:b');
  expect(asked.map(({ caller }) => caller)).toEqual(['key:a', 'key:b']);
});
