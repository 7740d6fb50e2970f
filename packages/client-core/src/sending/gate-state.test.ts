import { describe, expect, test } from '@jest/globals';
import { defaults } from '../options.ts';
import {
  admit,
  type GateState,
  type Heard,
  hear,
  leave,
  openGate,
  PROBE_AFTER,
  resumed,
  shutBy,
} from './gate-state.ts';

const now = Date.parse('2026-12-01T12:00:10Z');
const half = () => 0.5;

/** A response; `remaining` and `resetIn` are its rate limit. */
function heard(
  status: number,
  parts: { remaining?: number; resetIn?: number; retryAfter?: number; code?: string } = {},
): Heard {
  const { remaining, resetIn = 50_000, retryAfter, code } = parts;
  if (remaining === undefined) return { status, retryAfter, code };
  return { status, retryAfter, code, quota: { limit: 60, remaining, reset: now + resetIn }, resetIn };
}

const waiter = { policy: defaults, start: now, end: Infinity };

describe('the next call', () => {
  const minute = { resetAt: now + 50_000 };
  const shut = { shutUntil: now + 90_001, nextAt: now + 90_100, probeAt: now + 1 };
  test.each<[string, Partial<GateState>, number, number | undefined]>([
    ['is sent', {}, 0, 0],
    ['waits a moment for the first response of the key', {}, 1, now + 500],
    ['waits a shorter moment if earlier refusals are known', { headStart: 50 }, 5, now + 50],
    ['waits if as many are in flight as may be refused together', { headStart: 0 }, 6, Infinity],
    ['waits while the gate is shut', { shutUntil: now + 1, nextAt: now + 9 }, 0, now + 9],
    ['waits as long as calls may wait', { shutUntil: now + 90_000, nextAt: now + 90_100 }, 0, now + 90_100],
    ['is refused if that is too long', shut, 0, undefined],
    ['is a probe if one is due', { ...shut, probeAt: now }, 0, 0],
    ['is refused while the probe is in flight', { ...shut, probeAt: now }, 1, undefined],
    ['waits for its turn after a refusal', { goodReplies: 0, nextAt: now + 30 }, 0, now + 30],
    ['is sent when it is its turn', { goodReplies: 0, nextAt: now }, 0, 0],
    ['is sent while fewer are in flight than remain', { ...minute, remaining: 3 }, 2, 0],
    [
      'waits until the window ends if those in flight may use up the rest',
      { ...minute, remaining: 3 },
      3,
      now + 50_000,
    ],
    ['waits if too many are in flight', { ...minute, remaining: 30 }, 10, Infinity],
    [
      'is sent alone if nothing remains, because only a response brings new information',
      { ...minute, remaining: 0 },
      0,
      0,
    ],
    ['is sent at once in the next window', { resetAt: now, remaining: 30, headStart: 0 }, 5, 0],
  ])('%s', (_, state, inFlight, until) => {
    expect(admit({ ...openGate, ...state }, { count: inFlight, oldest: now }, now, waiter, defaults)).toBe(until);
  });
});

describe('a response shuts the gate', () => {
  test.each([
    ['not, if it is a success', heard(200, { remaining: 1 }), 0],
    ['not, if it has no rate limit', heard(200), 0],
    ['until the reset, if nothing remains', heard(200, { remaining: 0 }), now + 50_000],
    ['not until the end of the day, which a refusal must confirm', heard(200, { remaining: 0, resetIn: 3_600_000 }), 0],
    ['until its Retry-After', heard(429, { retryAfter: 50_000 }), now + 50_000],
    ['until the reset, if that is later', heard(429, { retryAfter: 5_000, remaining: 0 }), now + 50_000],
    ['until its Retry-After, if that is later', heard(429, { retryAfter: 51_000, remaining: 0 }), now + 51_000],
    ['until its Retry-After, if requests remain', heard(429, { retryAfter: 2_000, remaining: 50 }), now + 2_000],
    ['for a second, if its Retry-After is shorter', heard(429, { retryAfter: 0 }), now + 1_000],
    ['as long as a ban lasts', heard(429, { retryAfter: 3_600_000 }), now + 3_600_000],
    ['for the longest delay, if it has no Retry-After', heard(429), now + 8_000],
  ])('%s', (_, response, until) => {
    expect(shutBy(response, now)).toBe(until);
  });
});

describe('a response', () => {
  const after = (response: Heard, before: Partial<GateState> = {}, epoch = openGate.epoch) =>
    hear({ ...openGate, ...before }, response, epoch, now, defaults, half);
  const shut = { shutUntil: now + 50_000, nextAt: now + 50_250, goodReplies: 0, code: 'key_banned', epoch: 1 };

  test('that is a refusal shuts the gate; the first call leaves it with backoff', () => {
    const shutUntil = now + 50_000;
    const expected = { shutUntil, nextAt: shutUntil + 375, goodReplies: 0, refusals: 1, epoch: 1, headStart: 5_000 };
    expect(after(heard(429, { retryAfter: 50_000 }), { headStart: 0 })).toMatchObject(expected);
  });

  test('that is a refusal again doubles the backoff', () => {
    const again = after(heard(429, { retryAfter: 50_000 }), { shutUntil: now - 10, refusals: 1 });
    expect(again).toMatchObject({ refusals: 2, nextAt: now + 50_000 + 750 });
  });

  test('that is refused together with others counts once', () => {
    const together = after(heard(429, { retryAfter: 51_000 }), { ...shut, refusals: 1 }, 0);
    expect(together).toMatchObject({ refusals: 1, shutUntil: now + 51_000 });
  });

  test('to a request that was sent before the gate was shut does not open it', () => {
    const before = { ...openGate, ...shut };
    expect(after(heard(200, { remaining: 40 }), shut, 0)).toEqual(before);
    expect(after(heard(429, { retryAfter: 1_000 }), shut, 0)).toEqual(before);
    expect(after(heard(200, { remaining: 40 }), shut, -1)).toEqual(before);
  });

  test('to a probe opens the gate, shortens the wait, or postpones the next probe', () => {
    const long = { ...shut, shutUntil: now + 80_000_000, refusals: 1, probeAt: now - 1 };
    expect(after(heard(200, { remaining: 40 }), long, 1)).toMatchObject({ shutUntil: now, remaining: 40 });
    expect(after(heard(429, { retryAfter: 20_000 }), long, 1)).toMatchObject({ shutUntil: now + 20_000 });
    const later = { refusals: 2, probeAt: now + 2 * PROBE_AFTER };
    expect(after(heard(429, { retryAfter: 80_000_000 }), long, 1)).toMatchObject(later);
  });

  test('to a request that was sent before a caller resumed does not shut the gate again; a later refusal does', () => {
    const state = resumed({ ...openGate, ...shut });
    const late = heard(429, { retryAfter: 80_000_000 });
    expect(hear(state, late, 1, now, defaults, half)).toEqual(state);
    expect(hear(state, late, 2, now, defaults, half)).toMatchObject({ shutUntil: now + 80_000_000, resumedIn: 2 });
    expect(hear(state, late, -1, now, defaults, half)).toMatchObject({ shutUntil: now + 80_000_000 });
  });

  test('to a probe counts, although another client has just announced a probe of the same refusal', () => {
    const long = { ...openGate, ...shut, shutUntil: now + 80_000_000, refusals: 1 };
    const announced = hear(
      long,
      { status: 429, retryAfter: 80_000_005, refusals: 1, probeIn: 9 },
      -1,
      now,
      defaults,
      half,
    );
    expect(announced).toMatchObject({ epoch: 1, probeAt: now + 9 });
    expect(hear(announced, heard(200, { remaining: 40 }), 1, now, defaults, half)).toMatchObject({ shutUntil: now });
  });

  test('that is a success ends the series of refusals', () => {
    expect(after(heard(200, { remaining: 9 }), { refusals: 3 })).toMatchObject({ refusals: 0, remaining: 9 });
  });

  test.each<[string, Heard, number]>([
    ['that is a success doubles the pace', heard(200, { remaining: 9 }), 3],
    ['that refuses for a reason other than the quota doubles it as well', heard(404, { remaining: 9 }), 3],
    ['without quota headers keeps it', heard(200), 2],
    ['that is a server error keeps it as well', heard(503, { remaining: 9 }), 2],
    ['that is lost keeps it as well', heard(0), 2],
  ])('%s', (_, response, goodReplies) => {
    expect(after(response, { goodReplies: 2 })).toMatchObject({ goodReplies });
  });

  test('that is late does not raise the remaining requests of its window', () => {
    const known = { remaining: 5, window: now + 50_000 };
    expect(after(heard(200, { remaining: 7 }), known)).toMatchObject(known);
    expect(after(heard(200, { remaining: 59, resetIn: 110_000 }), known)).toMatchObject({ remaining: 59 });
  });

  test('that is a success lets others be sent together, also in the next window', () => {
    expect(after(heard(200, { remaining: 9 }))).toMatchObject({ headStart: 0 });
    expect(after({ status: 200, resetIn: 0 }, {}, -1)).toMatchObject({ headStart: 0, resetAt: now });
  });

  test('without a rate limit lets as many be in flight as the policy allows', () => {
    expect(after(heard(200))).toMatchObject({ remaining: Infinity, resetAt: Infinity });
  });

  test.each([
    ['that is lost', heard(0)],
    ["that is a gateway's error", heard(502)],
  ])('%s may have been counted, and is not a refusal', (_, response) => {
    expect(after(response, { remaining: 5 })).toMatchObject({ remaining: 4 });
    expect(after(response, { remaining: 0 })).toMatchObject({ remaining: 0 });
    expect(after(response)).toMatchObject({ remaining: undefined, headStart: 0 });
  });
});

test('a resumed gate sends one call at once, and forgets the refusals', () => {
  const state = resumed({ ...openGate, shutUntil: now + 80_000_000, epoch: 3, refusals: 2 });
  expect(state).toMatchObject({ epoch: 4, refusals: 0 });
  const next = (count: number) => admit(state, { count, oldest: now }, now, waiter, defaults);
  expect([next(0), next(1)]).toEqual([0, now + 500]);
});

describe('calls are sent', () => {
  test.each([
    ['at once by an open gate', Infinity, 0],
    ['at random intervals up to the release interval after the gate was shut', 0, now + 50],
    ['at half of that interval after each response', 1, now + 25],
    ['at once when the interval is below the millisecond of the clock', 6, 0],
  ])('%s', (_, goodReplies, nextAt) => {
    expect(leave({ ...openGate, goodReplies }, now, half)).toMatchObject({ nextAt });
  });
});
