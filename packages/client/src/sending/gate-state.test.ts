import { banRules } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { defaults } from '../options.ts';
import { admit, comeBack, type GateState, type Heard, leave, openGate, shutBy } from './gate-state.ts';

const now = Date.parse('2026-12-01T12:00:10Z');
const half = () => 0.5;

/** A reply; `remaining` and `resetIn` (seconds) are its rate limit. */
function heard(
  status: number,
  parts: { remaining?: number; resetIn?: number; retryAfter?: number; code?: string } = {},
) {
  const { remaining, resetIn = 50, retryAfter, code } = parts;
  const reset = new Date(now + resetIn * 1_000);
  const rateLimit = remaining === undefined ? undefined : { limit: 60, remaining, reset };
  return { status, retryAfter, code, rateLimit } satisfies Heard;
}

describe('the next call', () => {
  const minute = { resetAt: now + 50_000 };
  test.each<[string, Partial<GateState>, object]>([
    ['goes', {}, { kind: 'go' }],
    ['waits while the gate is shut', { shutUntil: now + 1, nextAt: now + 9 }, { kind: 'wait', until: now + 9 }],
    [
      'waits as long as calls may wait',
      { shutUntil: now + 60_000, nextAt: now + 60_100 },
      { kind: 'wait', until: now + 60_100 },
    ],
    ['is refused when that is too long', { shutUntil: now + 60_001, nextAt: now + 60_100 }, { kind: 'refuse' }],
    ['waits for its turn after that', { goodReplies: 0, nextAt: now + 30 }, { kind: 'wait', until: now + 30 }],
    ['goes when its turn has come', { goodReplies: 0, nextAt: now }, { kind: 'go' }],
    ['goes beside others', { inFlight: 9 }, { kind: 'go' }],
    ['waits where too many are under way', { inFlight: 10 }, { kind: 'wait' }],
    ['waits for the one that went ahead', { goodReplies: 0, inFlight: 1 }, { kind: 'wait' }],
    [
      'waits for it also later, in a window of which nothing is known',
      { goodReplies: 9, inFlight: 1 },
      { kind: 'wait' },
    ],
    ['goes while fewer are under way than remain', { ...minute, remaining: 3, inFlight: 2 }, { kind: 'go' }],
    ['waits where those under way may use up the rest', { ...minute, remaining: 3, inFlight: 3 }, { kind: 'wait' }],
    ['goes ahead where nothing remains by a clock that is wrong', { ...minute, remaining: 0 }, { kind: 'go' }],
    ['goes once the window of the rest is over', { resetAt: now, remaining: 0, inFlight: 9 }, { kind: 'go' }],
  ])('%s', (_, state, admission) => {
    expect(admit({ ...openGate, ...state }, now, defaults)).toEqual(admission);
  });

  test('goes, whatever the policy, when none is under way', () => {
    expect(admit(openGate, now, { ...defaults, maxConcurrent: 0 })).toEqual({ kind: 'go' });
  });
});

describe('a reply shuts the gate', () => {
  test.each([
    ['not, when it is a success', heard(200, { remaining: 1 }), 0],
    ['not, when it is without a rate limit', heard(200), 0],
    ['until the reset, when it used up the rest', heard(200, { remaining: 0 }), now + 50_000],
    ['not by a reset that is too far away to be trusted', heard(200, { remaining: 0, resetIn: 3_600 }), 0],
    ['until its Retry-After', heard(429, { retryAfter: 50 }), now + 50_000],
    ['until the reset, where that is later', heard(429, { retryAfter: 50, remaining: 0, resetIn: 51 }), now + 51_000],
    ['until its Retry-After, where that is later', heard(429, { retryAfter: 51, remaining: 0 }), now + 51_000],
    [
      'until its Retry-After, by a clock that is wrong',
      heard(429, { retryAfter: 50, remaining: 0, resetIn: 3_600 }),
      now + 50_000,
    ],
    ['for a second, when no time is asked for', heard(429, { retryAfter: 0 }), now + 1_000],
    ['for as long as a ban lasts', heard(429, { retryAfter: 3_600, remaining: 0, resetIn: 3_600 }), now + 3_600_000],
    ['until the reset, without Retry-After', heard(429, { remaining: 0 }), now + 50_000],
    ['for the longest delay, without any time', heard(429), now + 8_000],
  ])('%s', (_, reply, until) => {
    expect(shutBy(reply, now, defaults)).toBe(until);
  });
});

describe('a call that comes back', () => {
  const state: GateState = { ...openGate, inFlight: 4 };
  const after = (reply: Heard | undefined, before: Partial<GateState> = {}) =>
    comeBack({ ...state, ...before }, reply, now, defaults, half);

  test('refused, shuts the gate; the first leaves it with backoff', () => {
    const shutUntil = now + 50_000;
    const shut = { inFlight: 3, shutUntil, nextAt: shutUntil + 250, goodReplies: 0, refusals: 1 };
    expect(after(heard(429, { retryAfter: 50, code: 'rate_limited' }))).toMatchObject(shut);
  });

  test('refused again in the next window, doubles the backoff', () => {
    const again = after(heard(429, { retryAfter: 50 }), { shutUntil: now - 10, refusals: 1 });
    expect(again).toMatchObject({ refusals: 2, nextAt: now + 50_000 + 500 });
  });

  test('refused with others, counts once', () => {
    const together = after(heard(429, { retryAfter: 51 }), { shutUntil: now + 50_000, refusals: 1 });
    expect(together).toMatchObject({ refusals: 1, shutUntil: now + 51_000 });
  });

  test('never opens the gate earlier, or makes it forget that it is shut', () => {
    const shut = { shutUntil: now + 50_000, nextAt: now + 50_250, goodReplies: 0, code: 'key_banned' };
    expect(after(heard(200, { remaining: 40 }), shut)).toEqual({ ...state, ...shut, inFlight: 3 });
    expect(after(heard(429, { retryAfter: 1 }), shut)).toEqual({ ...state, ...shut, inFlight: 3 });
  });

  test('with a success, ends the row of refusals', () => {
    expect(after(heard(200, { remaining: 9 }), { refusals: 3 })).toMatchObject({ refusals: 0, remaining: 9 });
  });

  test.each<[string, Heard | undefined, number]>([
    ['with a success, doubles the pace', heard(200, { remaining: 9 }), 3],
    ['refused for another reason than the quota, too', heard(404, { remaining: 9 }), 3],
    ['without a word of what remains, keeps it', heard(200), 2],
    ['with an error of the server, too', heard(503, { remaining: 9 }), 2],
    ['without a reply, too', undefined, 2],
  ])('%s', (_, reply, goodReplies) => {
    expect(after(reply, { goodReplies: 2 })).toMatchObject({ goodReplies });
  });

  test('late, does not raise what remains in its window', () => {
    const known = { remaining: 5, resetAt: now + 50_000 };
    expect(after(heard(200, { remaining: 7 }), known)).toMatchObject(known);
    expect(after(heard(200, { remaining: 59, resetIn: 110 }), known)).toMatchObject({ remaining: 59 });
  });

  test('without a rate limit, lets the others go by their number only', () => {
    expect(after(heard(200))).toMatchObject({ remaining: Infinity });
  });

  test('without a reply, may have been counted', () => {
    expect(after(undefined, { remaining: 5 })).toMatchObject({ inFlight: 3, remaining: 4 });
    expect(after(undefined, { remaining: 0 })).toMatchObject({ inFlight: 3, remaining: 0 });
    expect(after(undefined)).toMatchObject({ inFlight: 3, remaining: undefined });
  });
});

describe('calls leave', () => {
  test.each([
    ['an open gate at once, even by a clock that is set back', Infinity, 0],
    ['one that was shut at random distances up to the release interval', 0, now + 50],
    ['it at half of that after each reply', 1, now + 25],
    ['it at once when the distance is below the millisecond of the clock', 6, 0],
  ])('%s', (_, goodReplies, nextAt) => {
    expect(leave({ ...openGate, goodReplies }, now, defaults, half)).toMatchObject({ inFlight: 1, nextAt });
  });
});

test('what may be under way at a refusal is not enough for a ban, however slow it is', () => {
  expect(defaults.maxConcurrent - 1).toBeLessThan(banRules.toleratedRefusals);
});
