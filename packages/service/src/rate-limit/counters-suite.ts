import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { BanRules } from '../common/contract.ts';
import { countRequest, emptyUsage, type Quota, type Usage, type Verdict, verdictOf } from './count-request.ts';
import type { Counters } from './counters.ts';
import { chooser, newCaller } from './counters-fixture.ts';
import { at, type Expected, type LimitCase, limitCases, rules } from './limit-cases-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const none = { minute: 0, day: 0 };
const noon = at('12:00:00');

type CountedRequest = { now: number; quota: Quota; rules: BanRules | undefined };
type Counted = { verdict: Verdict; usage: Usage };

/** Counts the requests of a caller with this usage, all sent at once and counted in this order. */
export type CountOneByOne = (start: Usage) => (requests: readonly CountedRequest[]) => Promise<Counted[]>;

/** Every counter follows the limit rules. */
export function describeLimits(countOneByOne: CountOneByOne): void {
  describe.each(Object.entries(limitCases))('%s', (_, cases) => {
    test.each(cases.map((limitCase) => [limitCase.name, limitCase] as const))('%s', async (_name, limitCase) => {
      await runCase(limitCase, countOneByOne);
    });
  });
}

async function runCase({ steps, start, rules: banRules, ...limitCase }: LimitCase, countOneByOne: CountOneByOne) {
  let quota = limitCase.quota;
  let now = at(steps[0]?.[0] ?? '');
  let last: Verdict | undefined;
  const count = countOneByOne({ ...emptyUsage(now), ...start });
  for (const [time, requests, outcome, expected = {}] of steps) {
    quota = expected.quota ?? quota;
    now = time === 'after Retry-After' ? now + (last?.retryAfter ?? 0) * SECOND : at(time);
    const counted = await count(Array.from({ length: requests }, () => ({ now, quota, rules: banRules })));
    const verdicts = counted.map(({ verdict }) => verdict);
    expect(verdicts.map((verdict) => verdict.outcome)).toEqual(verdicts.map(() => outcome));
    expect(verdicts.slice(0, -1).some(({ banStarted }) => banStarted)).toBe(false);
    last = verdicts.at(-1);
    expect({ time, ...last, usage: counted.at(-1)?.usage }).toMatchObject({ time, ...inUnixTime(expected) });
  }
}

/** The expected properties of the last verdict of a step. A request starts a ban only if the step expects it. */
function inUnixTime({ reset, quota: _, ...expected }: Expected): object {
  return { banStarted: false, ...expected, ...(reset === undefined ? {} : { reset: at(reset) / SECOND }) };
}

/** Counts in the memory of this process. */
export const countInMemory: CountOneByOne = (start) => {
  const usage = { ...start };
  return async (requests) =>
    requests.map(({ now, quota, rules: banRules }) => {
      const verdict = countRequest(usage, quota, now, banRules);
      return { verdict, usage: { ...usage } };
    });
};

/** Shared counters follow the limit rules, decide exactly as `countRequest` does, and adopt usage from the processes. */
export function describeCounters(counters: () => Counters): void {
  const countShared: CountOneByOne = (start) => {
    const callerId = newCaller();
    let localUsage = start;
    return (requests) =>
      Promise.all(
        requests.map(async ({ now, quota, rules: banRules }) => {
          const call = { ...quota, now, rules: banRules, localUsage, unsynced: none };
          // The counters learn the usage at the start from the first request.
          localUsage = emptyUsage(0);
          const count = await counters().count(callerId, call);
          return { verdict: verdictOf(count.usage, quota, count.now, count), usage: count.usage };
        }),
      );
  };

  describeLimits(countShared);

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'random requests %i are counted as in memory',
    async (seed) => {
      const requests = randomRequests(seed);
      const inMemory = await countInMemory(emptyUsage(noon))(requests);
      const shared = await countShared(emptyUsage(noon))(requests);
      const different = inMemory.findIndex((expected, index) => !isDeepStrictEqual(expected, shared[index]));
      expect([requests[different], shared[different]]).toEqual([requests[different], inMemory[different]]);
      const outcomes = new Set(inMemory.map(({ verdict }) => verdict.outcome));
      expect(outcomes).toEqual(new Set(seed % 5 === 4 ? ['allowed', 'limited'] : ['allowed', 'limited', 'banned']));
    },
  );

  describe('from a process, shared counters learn', () => {
    const call = { perMinute: 60, perDay: 1_000, now: noon, rules };
    const localUsage = { ...emptyUsage(noon), minuteUsed: 10, dayUsed: 20 };

    test.each([
      ['usage that they have lost, once', none, [11, 21], [12, 22]],
      ['requests that it counted by itself, which are added', { minute: 4, day: 5 }, [11, 21], [16, 27]],
      ['no more unsynced requests than its usage has', { minute: 400, day: 500 }, [11, 21], [22, 42]],
    ])('%s', async (_, unsynced, first, second) => {
      const callerId = newCaller();
      const usedAfter = async () => {
        const { usage } = await counters().count(callerId, { ...call, localUsage, unsynced });
        return [usage.minuteUsed, usage.dayUsed];
      };
      expect(await usedAfter()).toEqual(first);
      expect(await usedAfter()).toEqual(second);
    });

    test('a ban', async () => {
      const ban = { bans: 2, bannedUntil: noon + 90 * SECOND };
      const banned = { ...call, localUsage: { ...localUsage, ...ban }, unsynced: none };
      const { outcome, usage } = await counters().count(newCaller(), banned);
      expect(outcome).toBe('banned');
      expect(usage).toMatchObject(ban);
    });
  });

  test('shared counters use their own clock unless the call has a time', async () => {
    const before = Date.now();
    const call = { perMinute: 3, perDay: 8, localUsage: emptyUsage(0), unsynced: none };
    const { now, usage } = await counters().count(newCaller(), call);
    expect(now).toBeGreaterThanOrEqual(before - SECOND);
    expect(now).toBeLessThanOrEqual(Date.now() + SECOND);
    expect(usage.minute).toBe(Math.floor(now / MINUTE));
  });
}

const quotas: Quota[] = [
  { perMinute: 1, perDay: 1 },
  { perMinute: 3, perDay: 8 },
  { perMinute: 20, perDay: 400 },
  { perMinute: 9, perDay: 5 },
];
// Mostly forward by nothing, a second or a window. Sometimes back, across the start of a window or far.
const forward = [0, 0, 0, 0, 1, 20, 500, SECOND, 2 * SECOND, 30 * SECOND, MINUTE, 7 * MINUTE, DAY];
const clockSteps = [...forward, -10, -MINUTE, -DAY];

/** Requests under changing quotas by a clock that is set back and forth; in every fifth series without ban rules. */
function randomRequests(seed: number): CountedRequest[] {
  const choose = chooser(seed);
  const oneIn50 = [true, ...Array.from({ length: 49 }, () => false)];
  let now = noon;
  let quota = choose(quotas);
  return Array.from({ length: 1_500 }, () => {
    now += choose(clockSteps);
    if (choose(oneIn50)) quota = choose(quotas);
    return { now, quota, rules: seed % 5 === 4 ? undefined : rules };
  });
}
