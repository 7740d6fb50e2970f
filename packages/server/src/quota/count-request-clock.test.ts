import { describe, expect, test } from '@jest/globals';
import { countRequest } from './count-request.ts';
import { emptyUsage, type Usage } from './usage.ts';
import { at, rules } from './usage-fixture.ts';
import type { Verdict } from './verdict.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const quota = { perMinute: 3, perDay: 8 };
const noon = at('12:00:00');

/** Counts as many requests at one time, and returns the last verdict. */
function countAt(usage: Usage, now: number, requests = 1, limits = quota): Verdict {
  const verdicts = Array.from({ length: requests }, () => countRequest(usage, limits, now, rules));
  const last = verdicts.at(-1);
  if (last === undefined) throw new Error('No request was counted.');
  return last;
}

/** A caller that has used up its minute at that time. */
function usedUp(now: number): Usage {
  const usage = emptyUsage(now);
  countAt(usage, now, quota.perMinute);
  return usage;
}

describe('a clock that is set back hands out no second quota', () => {
  test.each([
    ['within the minute', at('12:00:30'), at('12:00:10'), at('12:01:00')],
    [
      'into the minute before, whose end is the end of the later one',
      at('12:01:00'),
      at('12:00:59.990'),
      at('12:02:00'),
    ],
    ['by an hour', at('12:00:30'), at('11:00:30'), at('11:01:00')],
    ['by a year', at('12:00:30'), Date.parse('2025-12-01T12:00:30Z'), Date.parse('2025-12-01T12:01:00Z')],
  ])('%s', (_, before, after, end) => {
    expect(countAt(usedUp(before), after)).toMatchObject({ outcome: 'limited', remaining: 0, reset: end / SECOND });
  });

  test('although it steps back and forth over the edge of a minute again and again', () => {
    const usage = emptyUsage(noon);
    const steps = Array.from({ length: 50 }, (_, count) => (count % 2 === 0 ? at('12:00:59.990') : at('12:01:00.010')));
    const allowed = steps.filter(
      (now) => countAt(usage, now, 1, { perMinute: 3, perDay: 1_000 }).outcome === 'allowed',
    );
    // One in the earlier minute, and the three of the later one.
    expect(allowed).toHaveLength(4);
  });

  test('although it steps back over midnight', () => {
    const usage = emptyUsage(noon);
    for (let minute = 0; minute < 3; minute += 1) countAt(usage, noon + minute * MINUTE, 3);
    expect(countAt(usage, noon - DAY / 2 - SECOND)).toMatchObject({ outcome: 'limited', limit: 8, remaining: 0 });
  });
});

describe('a clock that is set back locks nobody out for longer than a window', () => {
  test.each([SECOND, MINUTE, 60 * MINUTE, 40 * DAY, 4_000 * DAY])('by %i ms', (step) => {
    const usage = usedUp(noon);
    const refused = countAt(usage, noon - step);
    expect(refused.outcome).toBe('limited');
    expect(refused.retryAfter).toBeLessThanOrEqual((2 * MINUTE) / SECOND);
    expect(countAt(usage, noon - step + refused.retryAfter * SECOND).outcome).toBe('allowed');
  });

  test.each([12 * 60 * MINUTE + 1, 40 * DAY, 4_000 * DAY])('by %i ms, where the day is used up', (step) => {
    const usage = emptyUsage(noon);
    countAt(usage, noon, 8);
    const refused = countAt(usage, noon - step);
    expect(refused).toMatchObject({ outcome: 'limited', limit: 8 });
    expect(refused.retryAfter).toBeLessThanOrEqual((2 * DAY) / SECOND);
    expect(countAt(usage, noon - step + refused.retryAfter * SECOND).outcome).toBe('allowed');
  });
});

test('a clock that is set forth is a clock that goes on: a new window begins, once', () => {
  const usage = usedUp(noon);
  expect(countAt(usage, noon + 400 * DAY)).toMatchObject({ outcome: 'allowed', remaining: 2 });
  expect(countAt(usage, noon, 3)).toMatchObject({ outcome: 'limited', remaining: 0 });
});

describe('a ban that was given by a clock ahead of ours', () => {
  const banned = (bans: number, bannedUntil: number): Usage => ({ ...emptyUsage(noon), bans, bannedUntil });

  test.each([
    [1, 60],
    [2, 120],
    [3, 200],
    [2_000, 200],
    [0, 60],
  ])('as number %i in a row lasts %i seconds from the first request on, and then ends by itself', (bans, seconds) => {
    const usage = banned(bans, noon + 4_000 * DAY);
    expect(countAt(usage, noon)).toMatchObject({ outcome: 'banned', retryAfter: seconds, banStarted: false });
    expect(countAt(usage, noon + (seconds - 1) * SECOND)).toMatchObject({ outcome: 'banned', retryAfter: 1 });
    expect(countAt(usage, noon + seconds * SECOND).outcome).toBe('allowed');
  });

  test('is not made longer when it would end sooner', () => {
    expect(countAt(banned(3, noon + 5 * SECOND), noon)).toMatchObject({ outcome: 'banned', retryAfter: 5 });
  });
});

test('refusals from before a step back do not become a ban', () => {
  const usage = emptyUsage(noon);
  countAt(usage, at('12:00:30'), 4);
  expect(countAt(usage, at('12:00:20'), 4).outcome).toBe('limited');
});

test('who keeps sending after a step back is banned as ever, after the grace time', () => {
  const usage = emptyUsage(noon);
  const minutely = { perMinute: 3, perDay: 1_000 };
  countAt(usage, at('12:00:30'), 4, minutely);
  countAt(usage, at('12:00:10'), 1, minutely);
  expect(countAt(usage, at('12:00:12'), 3, minutely)).toMatchObject({ outcome: 'banned', banStarted: true });
});
