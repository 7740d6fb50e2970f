import { describe, expect, test } from '@jest/globals';
import { countRequest } from './count-request.ts';
import { dayOf, emptyUsage, type Quota, type Usage } from './usage.ts';
import { at, rules } from './usage-fixture.ts';
import type { Verdict } from './verdict.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const noon = at('12:00:00');
const midnight = noon + 12 * 60 * MINUTE;
const quota = { perMinute: 3, perDay: 8 };

/** Counts requests at these times, and returns the last verdict. */
function countAt(usage: Usage, ...times: number[]): Verdict {
  const verdicts = times.map((now) => countRequest(usage, quota, now, rules));
  const last = verdicts.at(-1);
  if (last === undefined) throw new Error('No request was counted.');
  return last;
}

function times(count: number, now: number): number[] {
  return Array.from({ length: count }, () => now);
}

describe('the windows', () => {
  test.each([
    [1, { limit: 3, remaining: 2, outcome: 'allowed' }],
    [2, { limit: 3, remaining: 1, outcome: 'allowed' }],
    [3, { limit: 3, remaining: 0, outcome: 'allowed' }],
    [4, { limit: 3, remaining: 0, outcome: 'limited' }],
    [5, { limit: 3, remaining: 0, outcome: 'limited' }],
  ])('after %i requests in a minute the caller is told %j', (count, expected) => {
    expect(countAt(emptyUsage(noon), ...times(count, noon))).toMatchObject({
      ...expected,
      reset: at('12:01:00') / SECOND,
      banStarted: false,
    });
  });

  test('an allowed request is told to wait for nothing', () => {
    expect(countAt(emptyUsage(noon), noon).retryAfter).toBe(0);
  });

  test.each([
    ['the last millisecond of the minute still counts to it', at('12:00:59.999'), 'limited'],
    ['the first millisecond of the next minute does not', at('12:01:00.000'), 'allowed'],
  ])('%s', (_, now, outcome) => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(3, noon));
    expect(countAt(usage, now).outcome).toBe(outcome);
  });

  test('a quiet time of many minutes is one fresh minute, not several', () => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(3, noon));
    expect(countAt(usage, at('12:30:00'))).toMatchObject({ remaining: 2, reset: at('12:31:00') / SECOND });
  });

  test('the headers change over to the day when the day has fewer requests left', () => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(3, noon), ...times(3, noon + MINUTE));
    expect(countAt(usage, noon + 2 * MINUTE)).toEqual({
      window: 'day',
      limit: 8,
      remaining: 1,
      reset: midnight / SECOND,
      outcome: 'allowed',
      retryAfter: 0,
      banStarted: false,
    });
  });

  test('with the same number left in both, the headers speak of the day, which holds longer', () => {
    const verdict = countRequest(emptyUsage(noon), { perMinute: 5, perDay: 5 }, noon, rules);
    expect(verdict).toMatchObject({ limit: 5, remaining: 4, reset: midnight / SECOND });
  });

  test('the request over the minute that uses up the day, too, is told to wait for the next day', () => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(3, noon), ...times(2, noon + MINUTE));
    const verdict = countRequest(usage, { perMinute: 2, perDay: 6 }, noon + MINUTE, rules);
    expect(verdict).toMatchObject({ outcome: 'limited', limit: 6, retryAfter: (midnight - noon - MINUTE) / SECOND });
  });

  test('refused requests count to the day', () => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(8, noon));
    expect(countAt(usage, noon + MINUTE)).toMatchObject({ outcome: 'limited', limit: 8 });
  });

  test.each([
    ['the last millisecond of the UTC day still counts to it', midnight - 1, 'limited'],
    ['the first millisecond of the next day does not', midnight, 'allowed'],
  ])('%s', (_, now, outcome) => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(8, noon));
    expect(countAt(usage, now).outcome).toBe(outcome);
  });

  test('in the last minute of the day both windows end together', () => {
    const usage = emptyUsage(midnight - 1);
    countAt(usage, ...times(3, midnight - 1));
    expect(countAt(usage, midnight - 1)).toMatchObject({ limit: 3, reset: midnight / SECOND, retryAfter: 1 });
  });

  test('a smaller quota than what was used already refuses, and nothing is left below zero', () => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(3, noon));
    expect(countRequest(usage, { perMinute: 1, perDay: 1 }, noon, rules)).toMatchObject({
      outcome: 'limited',
      remaining: 0,
    });
  });

  test.each([
    ['1970-01-01T00:00:00.000Z', 0],
    ['1970-01-01T23:59:59.999Z', 0],
    ['1970-01-02T00:00:00.000Z', 1],
    ['2026-12-01T12:00:00.000Z', 20_788],
  ])('%s is in the UTC day %i', (time, day) => {
    expect(dayOf(Date.parse(time))).toBe(day);
  });
});

describe('Retry-After', () => {
  test.each([
    ['12:00:00.000', 60],
    ['12:00:00.001', 60],
    ['12:00:00.999', 60],
    ['12:00:01.000', 59],
    ['12:00:30.500', 30],
    ['12:00:58.999', 2],
    ['12:00:59.000', 1],
    ['12:00:59.001', 1],
    ['12:00:59.999', 1],
  ])('a refusal at %s says %i seconds', (time, seconds) => {
    const usage = emptyUsage(noon);
    countAt(usage, ...times(3, noon));
    expect(countAt(usage, at(time)).retryAfter).toBe(seconds);
  });
});

describe('whatever a caller does', () => {
  const quotas = [
    { perMinute: 1, perDay: 1 },
    { perMinute: 3, perDay: 8 },
    { perMinute: 8, perDay: 8 },
    { perMinute: 20, perDay: 400 },
    { perMinute: 9, perDay: 5 },
  ];
  const pauses = [0, 1, 40, 500, 999, SECOND, 3 * SECOND, MINUTE - 1, MINUTE, 10 * MINUTE];
  const walks = quotas.flatMap((limits) => [1, 2, 3, 4].map((seed) => ({ ...limits, seed })));

  test.each(walks)('the verdicts keep their promises: %j', ({ seed, ...limits }) => {
    const choose = chooser(seed);
    const usage = emptyUsage(noon);
    const counted = new Map<string, number>();
    const outcomes = new Set<string>();
    const broken: string[] = [];
    let now = noon;
    for (let step = 0; step < 3_000; step += 1) {
      now += choose(pauses);
      const minuteLeft = limits.perMinute - countIn(counted, `minute ${Math.floor(now / MINUTE)}`);
      const dayLeft = limits.perDay - countIn(counted, `day ${dayOf(now)}`);
      const wasBanned = usage.bannedUntil > now;
      const verdict = countRequest(usage, limits, now, rules);
      const { limit, remaining, reset, outcome, banStarted } = verdict;
      outcomes.add(outcome);
      const left = wasBanned ? 0 : Math.max(0, Math.min(minuteLeft, dayLeft));
      const kept = {
        'the limit is one of the two': limit === limits.perMinute || limit === limits.perDay,
        'remaining is what is left': remaining === left,
        'the reset lies ahead, in whole seconds': Number.isInteger(reset) && reset * SECOND > now,
        'what is left is allowed': (outcome === 'allowed') === (!wasBanned && minuteLeft >= 0 && dayLeft >= 0),
        'a ban is a ban': (outcome === 'banned') === (wasBanned || banStarted),
        ...(outcome === 'allowed' ? {} : waitingPromises(usage, limits, now, verdict)),
      };
      broken.push(...Object.entries(kept).flatMap(([promise, holds]) => (holds ? [] : [`${step}: ${promise}`])));
    }
    expect(broken).toEqual([]);
    expect(outcomes).toEqual(new Set(['allowed', 'limited', 'banned']));
  });

  function waitingPromises(usage: Usage, limits: Quota, now: number, { reset, retryAfter }: Verdict) {
    const waited = now + retryAfter * SECOND;
    return {
      'Retry-After is a whole number from 1': Number.isInteger(retryAfter) && retryAfter >= 1,
      'Retry-After is not before the reset': waited >= reset * SECOND,
      'Retry-After is not before the end of the ban': waited >= usage.bannedUntil,
      'Retry-After is no second too long': waited - SECOND < reset * SECOND,
      'who waits that long, and sends nothing meanwhile, is served':
        countRequest({ ...usage }, limits, waited, rules).outcome === 'allowed',
    };
  }

  function countIn(counted: Map<string, number>, window: string): number {
    const count = (counted.get(window) ?? 0) + 1;
    counted.set(window, count);
    return count;
  }

  /** Chooses by a linear congruential generator, so that each run takes the same walk. */
  function chooser(seed: number): (values: number[]) => number {
    let state = seed;
    return (values) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return values[Math.floor((state / 2 ** 32) * values.length)] ?? 0;
    };
  }
});
