import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { BanRules } from '../../common/facts.ts';
import { countRequest, emptyUsage, type Quota, type Usage, type Verdict, verdictOf } from '../count-request.ts';
import type { SharedCounters } from '../counters.ts';
import { at, type Expected, type LimitCase, limitCases, rules } from '../limit-cases-fixture.ts';

/** The ID of a caller that no other test uses. */
function newCaller(): string {
  return `key:${randomUUID()}`;
}

/** Chooses by a linear congruential generator, so that each run makes the same choices. */
export function chooser(seed: number): <T>(values: readonly T[]) => T {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const chosen = values[Math.floor((state / 2 ** 32) * values.length)];
    if (chosen === undefined) throw new Error('There is nothing to choose from.');
    return chosen;
  };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const noon = at('12:00:00');

type CountedRequest = { now: number; quota: Quota; rules: BanRules | undefined };
type Counted = { verdict: Verdict; usage: Usage };

/** Counts the requests of a caller with this usage, all sent at once and counted in this order. */
type CountOneByOne = (start: Usage) => (requests: readonly CountedRequest[]) => Promise<Counted[]>;

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
export function describeCounters(counters: () => SharedCounters): void {
  const countShared: CountOneByOne = (start) => {
    const caller = newCaller();
    // The counters learn the usage at the start from the first requests.
    let usage = start;
    return async (requests) => {
      const counts = requests.map((request) => counters().count({ ...request, caller, usage }));
      usage = emptyUsage(0);
      return (await Promise.all(counts)).map((count, index) => {
        const quota = requests[index]?.quota ?? { perMinute: 0, perDay: 0 };
        return { verdict: verdictOf(count.usage, quota, count.now, count), usage: count.usage };
      });
    };
  };

  describeLimits(countShared);

  test.each([0, 1, 2, 3, 4])('random requests %i are counted as in memory', async (seed) => {
    const [countHere, countThere] = [countInMemory(emptyUsage(noon)), countShared(emptyUsage(noon))];
    const outcomes = new Set<string>();
    for (const requests of randomRequests(seed)) {
      const expected = await countHere(requests);
      expect([requests, await countThere(requests)]).toEqual([requests, expected]);
      for (const { verdict } of expected) outcomes.add(verdict.outcome);
    }
    expect(outcomes).toEqual(new Set(seed === 4 ? ['allowed', 'limited'] : ['allowed', 'limited', 'banned']));
  });

  describe('from a process, shared counters learn', () => {
    const request = { quota: { perMinute: 60, perDay: 1_000 }, now: noon, rules };
    const usage = { ...emptyUsage(noon), minuteUsed: 10, dayUsed: 20 };

    test('usage that they have lost, once', async () => {
      const caller = newCaller();
      const count = async () => (await counters().count({ ...request, caller, usage })).usage;
      expect(await count()).toMatchObject({ minuteUsed: 11, dayUsed: 21 });
      expect(await count()).toMatchObject({ minuteUsed: 12, dayUsed: 22 });
    });

    test('a ban, until it is ended', async () => {
      const caller = newCaller();
      const ban = { bans: 2, bannedUntil: noon + 90 * SECOND };
      const count = (known: Usage) => counters().count({ ...request, caller, usage: known });
      expect(await count({ ...usage, ...ban })).toMatchObject({ outcome: 'banned', usage: ban });
      expect(await count(usage)).toMatchObject({ outcome: 'banned', usage: ban });
      await counters().endBan(caller, ban.bannedUntil);
      expect(await count(usage)).toMatchObject({ outcome: 'allowed', usage: { bannedUntil: 0 } });
    });
  });

  test('shared counters use their own clock unless the request has a time', async () => {
    const before = Date.now();
    const request = { caller: newCaller(), quota: { perMinute: 3, perDay: 8 }, rules: undefined, usage: emptyUsage(0) };
    const { now, usage } = await counters().count(request);
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

/**
 * Requests that come together, a few at a time, under changing quotas and by a clock that is set back and forth; in the last series without
 * ban rules.
 */
function randomRequests(seed: number): CountedRequest[][] {
  const choose = chooser(seed);
  const oneIn50 = [true, ...Array.from({ length: 49 }, () => false)];
  let now = noon;
  let quota = choose(quotas);
  return Array.from({ length: 500 }, () => {
    now += choose(clockSteps);
    if (choose(oneIn50)) quota = choose(quotas);
    return Array.from({ length: choose([1, 1, 1, 2, 5]) }, () => ({
      now,
      quota,
      rules: seed === 4 ? undefined : rules,
    }));
  });
}
