import { describe, expect, test } from '@jest/globals';
import { dayOf } from '../common/time.ts';
import {
  countRequest,
  emptyUsage,
  type Quota,
  quotaAfter,
  quotaAt,
  type Usage,
  type Verdict,
} from './count-request.ts';
import { at, rules } from './limit-cases-fixture.ts';
import { chooser, countInMemory, describeLimits } from './suite/counters.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const noon = at('12:00:00');

describeLimits(countInMemory);

test('a caller that waits for Retry-After each time is never banned', () => {
  const usage = emptyUsage(noon);
  const outcomes = new Set<string>();
  let now = noon;
  for (let count = 0; count < 30_000; count += 1) {
    const { outcome, retryAfter } = countRequest(usage, { perMinute: 3, perDay: 10_000 }, now, rules);
    outcomes.add(outcome);
    now += retryAfter * SECOND;
  }
  expect(outcomes).toEqual(new Set(['allowed', 'limited']));
});

describe('the state of both windows', () => {
  const [minuteEnd, dayEnd] = [(noon + MINUTE) / SECOND, at('24:00:00') / SECOND];
  const quota = { perMinute: 5, perDay: 7 };
  const states = (minuteLeft: number, dayLeft: number) => ({
    minute: { limit: 5, remaining: minuteLeft, reset: minuteEnd },
    day: { limit: 7, remaining: dayLeft, reset: dayEnd },
  });

  test('after a request includes it, whichever window has fewer requests left', () => {
    const usage = emptyUsage(noon);
    const after = () => quotaAfter(countRequest(usage, quota, noon, rules));
    expect(after()).toEqual({ ...states(4, 6), bannedUntil: 0 });
    usage.dayUsed = 5;
    usage.bannedUntil = noon - SECOND;
    expect(after()).toEqual({ ...states(3, 1), bannedUntil: noon - SECOND });
  });

  test('at a given time counts no request, and shows ended windows as unused', () => {
    const usage = { ...emptyUsage(noon), minuteUsed: 9, dayUsed: 3 };
    const before = { ...usage };
    expect(quotaAt(usage, quota, noon)).toMatchObject(states(0, 4));
    expect(quotaAt(usage, quota, noon + MINUTE).minute).toEqual({ limit: 5, remaining: 5, reset: minuteEnd + 60 });
    expect(usage).toEqual(before);
  });
});

describe('for random requests', () => {
  const quotas = [
    { perMinute: 1, perDay: 1 },
    { perMinute: 3, perDay: 8 },
    { perMinute: 8, perDay: 8 },
    { perMinute: 20, perDay: 400 },
    { perMinute: 9, perDay: 5 },
  ];
  const pauses = [0, 1, 40, 500, 999, SECOND, 3 * SECOND, MINUTE - 1, MINUTE, 10 * MINUTE];
  const series = quotas.flatMap((limits) => [1, 2, 3, 4].map((seed) => ({ ...limits, seed })));

  test.each(series)('the verdicts are correct: %j', ({ seed, ...limits }) => {
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
      const promises = {
        'the limit is that of the minute or the day': limit === limits.perMinute || limit === limits.perDay,
        'remaining is the smaller number left': remaining === left,
        'the reset is in the future, in whole seconds': Number.isInteger(reset) && reset * SECOND > now,
        'a request within the limits is allowed':
          (outcome === 'allowed') === (!wasBanned && minuteLeft >= 0 && dayLeft >= 0),
        'the outcome is banned exactly during a ban': (outcome === 'banned') === (wasBanned || banStarted),
        ...(outcome === 'allowed' ? {} : retryPromises(usage, limits, now, verdict)),
      };
      broken.push(...Object.entries(promises).flatMap(([promise, holds]) => (holds ? [] : [`${step}: ${promise}`])));
    }
    expect(broken).toEqual([]);
    expect(outcomes).toEqual(new Set(['allowed', 'limited', 'banned']));
  });

  function retryPromises(usage: Usage, limits: Quota, now: number, { reset, retryAfter }: Verdict) {
    const retryAt = now + retryAfter * SECOND;
    return {
      'Retry-After is a whole number from 1': Number.isInteger(retryAfter) && retryAfter >= 1,
      'Retry-After is not before the reset': retryAt >= reset * SECOND,
      'Retry-After is not before the end of the ban': retryAt >= usage.bannedUntil,
      'Retry-After is not a second too long': retryAt - SECOND < reset * SECOND,
      'a caller that waits that long is allowed':
        countRequest({ ...usage }, limits, retryAt, rules).outcome === 'allowed',
    };
  }

  function countIn(counted: Map<string, number>, window: string): number {
    const count = (counted.get(window) ?? 0) + 1;
    counted.set(window, count);
    return count;
  }
});
