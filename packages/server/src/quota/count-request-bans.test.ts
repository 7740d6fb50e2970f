import { describe, expect, test } from '@jest/globals';
import { countRequest } from './count-request.ts';
import { emptyUsage, type Usage } from './usage.ts';
import { at, rules } from './usage-fixture.ts';
import type { Verdict } from './verdict.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** So much per day that only the minute is ever used up. */
const quota = { perMinute: 3, perDay: 10_000 };
const first = at('12:00:10');
const later = first + rules.graceSeconds * SECOND;
/** Three allowed requests, the first 429, the tolerated refusals, and the one too many. */
const offence = [...times(4, first), ...times(3, later)];
const banEnd = later + rules.firstSeconds * SECOND;

function times(count: number, now: number): number[] {
  return Array.from({ length: count }, () => now);
}

function countAt(usage: Usage, all: number[]): Verdict[] {
  return all.map((now) => countRequest(usage, quota, now, rules));
}

/** A caller whose first ban has started. */
function bannedCaller(): Usage {
  const usage = emptyUsage(first);
  countAt(usage, offence);
  return usage;
}

describe('a ban is due', () => {
  test.each([
    ['not for refusals during the grace seconds, however many', times(100, later - 1), 'limited'],
    ['not for as many refusals as are tolerated', times(2, later), 'limited'],
    ['for one refusal more than that', times(3, later), 'banned'],
    ['for one refusal more, wherever in the window', [later, at('12:00:30'), at('12:00:59.999')], 'banned'],
    ['not for one refusal more in the next window', [...times(2, later), at('12:01:00')], 'allowed'],
  ])('%s', (_, refused, outcome) => {
    const usage = emptyUsage(first);
    countAt(usage, times(4, first));
    expect(countAt(usage, refused).at(-1)).toMatchObject({ outcome, banStarted: outcome === 'banned' });
  });

  test('never for refusals that each window tolerates, although they add up', () => {
    const usage = emptyUsage(first);
    for (let minute = 0; minute < 50; minute += 1) {
      const window = [...times(4, first), ...times(2, later)].map((time) => time + minute * MINUTE);
      for (const { outcome } of countAt(usage, window)) expect(outcome).not.toBe('banned');
    }
  });

  test('never for a caller that waits for Retry-After each time', () => {
    const usage = emptyUsage(first);
    const outcomes = new Set<string>();
    let now = first;
    for (let count = 0; count < 30_000; count += 1) {
      const { outcome, retryAfter } = countRequest(usage, quota, now, rules);
      outcomes.add(outcome);
      now += retryAfter * SECOND;
    }
    expect(outcomes).toEqual(new Set(['allowed', 'limited']));
  });

  test('never without rules', () => {
    const usage = emptyUsage(first);
    const verdicts = Array.from({ length: 5_000 }, (_, count) =>
      countRequest(usage, quota, first + count * 10, undefined),
    );
    expect(verdicts.some(({ outcome }) => outcome === 'banned')).toBe(false);
    expect(usage).toMatchObject({ bans: 0, bannedUntil: 0 });
  });
});

describe('the first response of a ban', () => {
  test('says how long it lasts, and that it started', () => {
    expect(countAt(emptyUsage(first), offence).at(-1)).toEqual({
      window: 'minute',
      limit: 3,
      remaining: 0,
      reset: banEnd / SECOND,
      outcome: 'banned',
      retryAfter: 60,
      banStarted: true,
    });
  });

  test('rounds an end within a second up', () => {
    const verdict = countAt(
      emptyUsage(first),
      offence.map((time) => time + 1),
    ).at(-1);
    expect(verdict).toMatchObject({ reset: banEnd / SECOND + 1, retryAfter: 61 });
  });
});

describe('during a ban', () => {
  test('requests are refused and count, and do not make it longer', () => {
    const usage = bannedCaller();
    const verdicts = countAt(usage, times(500, later + SECOND));
    expect(verdicts.every(({ outcome, banStarted }) => outcome === 'banned' && !banStarted)).toBe(true);
    expect(usage).toMatchObject({ bannedUntil: banEnd, bans: 1, dayUsed: offence.length + 500 });
  });

  test('nothing remains, although the window has requests left', () => {
    const [verdict] = countAt(bannedCaller(), [at('12:01:05')]);
    expect(verdict).toMatchObject({ limit: 3, remaining: 0, reset: banEnd / SECOND, retryAfter: 7 });
  });

  test('the reset is the end of the window where the ban ends within a used-up window', () => {
    const verdict = countAt(bannedCaller(), times(3, at('12:01:05'))).at(-1);
    expect(verdict).toMatchObject({ outcome: 'banned', reset: at('12:02:00') / SECOND, retryAfter: 55 });
  });
});

describe('the end of a ban', () => {
  test.each([
    ['has not come a millisecond before', banEnd - 1, 'banned'],
    ['comes by itself', banEnd, 'allowed'],
  ])('%s', (_, now, outcome) => {
    expect(countAt(bannedCaller(), [now])).toMatchObject([{ outcome }]);
  });

  test('does not give back what was used up during it', () => {
    expect(countAt(bannedCaller(), [...times(3, banEnd - 1), banEnd]).at(-1)?.outcome).toBe('limited');
  });

  test('starts the tolerated refusals anew', () => {
    const outcomes = countAt(bannedCaller(), [...times(4, banEnd), ...times(3, banEnd + 2 * SECOND)]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      ...times(3, 0).map(() => 'allowed'),
      ...times(3, 0).map(() => 'limited'),
      'banned',
    ]);
  });
});

test('after a ban that ends in the same used-up day, refusals are tolerated anew, too', () => {
  const usage = emptyUsage(first);
  const daily = { perMinute: 1_000, perDay: 1 };
  const offences = [first, first, ...times(3, later), banEnd, ...times(2, banEnd + 2 * SECOND)];
  const outcomes = offences.map((now) => countRequest(usage, daily, now, rules).outcome);
  expect(outcomes).toEqual(['allowed', 'limited', 'limited', 'limited', 'banned', 'limited', 'limited', 'limited']);
  expect(countRequest(usage, daily, banEnd + 2 * SECOND, rules)).toMatchObject({ outcome: 'banned', banStarted: true });
});

describe('the n-th ban in a row', () => {
  test.each([
    ['first', 0, 60],
    ['second', 1, 120],
    ['third, at the cap', 2, 200],
    ['fourth', 3, 200],
    ['two-thousandth, where doubling leaves the numbers', 1_999, 200],
  ])('%s: after %i bans the next one lasts %i seconds', (_, bans, seconds) => {
    const usage = { ...emptyUsage(first), bans, bannedUntil: bans === 0 ? 0 : first - 10 * SECOND };
    countAt(usage, offence);
    expect(usage).toMatchObject({ bans: bans + 1, bannedUntil: later + seconds * SECOND });
  });

  const forget = rules.forgetAfterSeconds * SECOND;
  test.each([
    ['a millisecond less than the time to forget', forget - 1, 6],
    ['exactly the time to forget', forget, 1],
    ['much longer than the time to forget', 100 * forget, 1],
  ])('when the fifth ban ended %s before (%i ms), the next is counted as number %i', (_, ago, bans) => {
    const usage = { ...emptyUsage(first), bans: 5, bannedUntil: later - ago };
    countAt(usage, offence);
    expect(usage.bans).toBe(bans);
  });
});
