import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { BanRules } from './bans.ts';
import { countRequest } from './count-request.ts';
import type { Count, Counters } from './counters.ts';
import { chooser, newCaller } from './counters-fixture.ts';
import { emptyUsage, type Quota, type Usage } from './usage.ts';
import { at, rules } from './usage-fixture.ts';
import { verdictOf } from './verdict.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const none = { minute: 0, day: 0 };
const noon = at('12:00:00');

type Step = { now: number; quota: Quota; rules: BanRules | undefined };

/** What all counters elsewhere must do: exactly what `countRequest` does in a process. */
export function describeCounters(counters: () => Counters): void {
  /** The same steps in both; what each says after each of them. */
  async function walk(start: Usage, steps: Step[]) {
    const caller = newCaller();
    const usage = { ...start };
    const here = steps.map(({ now, quota, rules: banRules }) => {
      const verdict = countRequest(usage, quota, now, banRules);
      return { verdict, usage: { ...usage } };
    });
    // Asked at once, and answered in this order.
    const counts = await Promise.all(
      steps.map(({ now, quota, rules: banRules }, step) => {
        const known = step === 0 ? start : emptyUsage(0);
        return counters().count(caller, { ...quota, now, rules: banRules, known, alone: none });
      }),
    );
    const there = counts.map((count, step) => verdictHere(count, steps[step]));
    const different = here.findIndex((expected, step) => !isDeepStrictEqual(expected, there[step]));
    return { here, there, different: steps[different] && [different, here[different], there[different]] };
  }

  describe('say what a process by itself says', () => {
    test.each(cases)('%s', async (_, start, times, quota) => {
      const steps = times.map((now) => ({ now, quota, rules }));
      const { here, there } = await walk(start, steps);
      expect(there).toEqual(here);
    });

    test.each(Array.from({ length: 20 }, (_, seed) => seed))('on random walk %i', async (seed) => {
      const { here, different } = await walk(emptyUsage(noon), randomSteps(seed));
      expect(different).toBeUndefined();
      const outcomes = new Set(here.map(({ verdict }) => verdict.outcome));
      expect(outcomes).toEqual(new Set(seed % 5 === 4 ? ['allowed', 'limited'] : ['allowed', 'limited', 'banned']));
    });
  });

  describe('hear from a process', () => {
    const call = { perMinute: 60, perDay: 1_000, now: noon, rules, alone: none };
    const used = { ...emptyUsage(noon), minuteUsed: 10, dayUsed: 20 };

    test.each([
      ['what they do not know, once', none, [11, 21], [12, 22]],
      ['what it counted alone, which is added', { minute: 4, day: 5 }, [11, 21], [16, 27]],
      ['no more of it than it knows', { minute: 400, day: 500 }, [11, 21], [22, 42]],
    ])('%s', async (_, alone, first, second) => {
      const caller = newCaller();
      const usedAfter = async () => {
        const { usage } = await counters().count(caller, { ...call, known: used, alone });
        return [usage.minuteUsed, usage.dayUsed];
      };
      expect(await usedAfter()).toEqual(first);
      expect(await usedAfter()).toEqual(second);
    });

    test('a ban', async () => {
      const known = { ...used, bans: 2, bannedUntil: noon + 90 * SECOND };
      const { outcome, usage } = await counters().count(newCaller(), { ...call, known });
      expect(outcome).toBe('banned');
      expect(usage).toMatchObject({ bans: 2, bannedUntil: known.bannedUntil });
    });
  });

  test('go by their own clock unless they are told the time', async () => {
    const before = Date.now();
    const call = { perMinute: 3, perDay: 8, known: emptyUsage(0), alone: none };
    const { now, usage } = await counters().count(newCaller(), call);
    expect(now).toBeGreaterThanOrEqual(before - SECOND);
    expect(now).toBeLessThanOrEqual(Date.now() + SECOND);
    expect(usage.minute).toBe(Math.floor(now / MINUTE));
  });
}

function verdictHere(count: Count, step: Step | undefined) {
  if (step === undefined) throw new Error('More was counted than was asked for.');
  return { verdict: verdictOf(count.usage, step.quota, count.now, count), usage: count.usage };
}

const quota = { perMinute: 3, perDay: 8 };
const minutely = { perMinute: 3, perDay: 10_000 };
const offence = [...times(4, noon), ...times(3, noon + 2 * SECOND)];
const banEnd = noon + 62 * SECOND;
const fresh = emptyUsage(noon);

const cases: [name: string, start: Usage, times: number[], quota: Quota][] = [
  ['over the limit of a minute', fresh, times(6, noon), quota],
  ['at the edges of a minute', fresh, [...times(4, noon + MINUTE - 1), ...times(4, noon + MINUTE)], quota],
  ['at the edges of a day', fresh, [...times(9, noon + DAY / 2 - 1), ...times(4, noon + DAY / 2)], quota],
  ['where both windows have the same left', fresh, times(6, noon), { perMinute: 5, perDay: 5 }],
  ['at the start of a ban', fresh, offence, minutely],
  ['during a ban and at its end', fresh, [...offence, banEnd - 1, ...times(5, banEnd)], minutely],
  ['in the grace seconds', fresh, [...times(4, noon), ...times(9, noon + 1_999)], minutely],
  ['at the cap of bans', { ...fresh, bans: 2_000, bannedUntil: noon - SECOND }, offence, minutely],
  ['when bans are forgotten', { ...fresh, bans: 5, bannedUntil: noon - 1_000 * SECOND }, offence, minutely],
  ['when the clock is set back a little', fresh, [...times(4, noon), ...times(4, noon - 10)], quota],
  ['when the clock is set back a year', fresh, [...times(9, noon), ...times(9, noon - 365 * DAY)], quota],
  ['when a ban was given by a clock ahead', { ...fresh, bans: 1, bannedUntil: noon + 900 * DAY }, [noon], quota],
];

const quotas: Quota[] = [
  { perMinute: 1, perDay: 1 },
  { perMinute: 3, perDay: 8 },
  { perMinute: 20, perDay: 400 },
  { perMinute: 9, perDay: 5 },
];
// Mostly on: a request at once, a second, a window later. Sometimes back, over the edge of a window or far.
const onwards = [0, 0, 0, 0, 1, 20, 500, SECOND, 2 * SECOND, 30 * SECOND, MINUTE, 7 * MINUTE, DAY];
const moves = [...onwards, -10, -MINUTE, -DAY];

/** A caller of changing quotas, whose clock is set forth and back; each fifth one is never banned. */
function randomSteps(seed: number): Step[] {
  const choose = chooser(seed);
  let now = noon;
  let limits = choose(quotas);
  return Array.from({ length: 1_500 }, (): Step => {
    now += choose(moves);
    if (choose(times(50, 0).with(0, 1)) === 1) limits = choose(quotas);
    return { now, quota: limits, rules: seed % 5 === 4 ? undefined : rules };
  });
}

function times(count: number, now: number): number[] {
  return Array.from({ length: count }, () => now);
}
