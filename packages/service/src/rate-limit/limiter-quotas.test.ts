import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { type CountedKey, quotaOf } from './limiter.ts';

type Plan = keyof typeof contract.plans;

function keyOn(plan: Plan, limits: Pick<CountedKey, 'perMinute' | 'perDay'> = {}): CountedKey {
  return { id: 'key_0123456789abcdef', plan, ...limits };
}

describe('the quota of a key', () => {
  test.each<[Plan, number, number]>([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ])('on the %s plan is %i a minute and %i a day', (plan, perMinute, perDay) => {
    expect(quotaOf(keyOn(plan), contract.plans)).toMatchObject({ perMinute, perDay });
  });

  test('on the enterprise plan is the key’s own limits', () => {
    expect(quotaOf(keyOn('enterprise', { perMinute: 5_000, perDay: 7 }), contract.plans)).toEqual({
      perMinute: 5_000,
      perDay: 7,
    });
  });

  test('on a plan with limits is that of the plan, even if the key has its own limits', () => {
    expect(quotaOf(keyOn('free', { perMinute: 5_000, perDay: 5_000 }), contract.plans)).toMatchObject({
      perMinute: 60,
      perDay: 1_000,
    });
  });

  test.each([
    ['both', {}],
    ['the one per day', { perMinute: 1 }],
    ['the one per minute', { perDay: 1 }],
  ])('on the enterprise plan without limits (%s missing) is an error, not unlimited', (_, limits) => {
    expect(() => quotaOf(keyOn('enterprise', limits), contract.plans)).toThrow('key_0123456789abcdef');
  });
});

test('requests without a key have a separate quota', () => {
  expect(contract.anonymousLimits).toMatchObject({ perMinute: expect.any(Number), perDay: expect.any(Number) });
});
