import type { Plan } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { KeyRecord } from '../storage/storage.ts';
import { anonymousQuota, quotaOf } from './quota.ts';

function keyOn(plan: Plan, limits: Pick<KeyRecord, 'perMinute' | 'perDay'> = {}): KeyRecord {
  return { id: 'key_0123456789abcdef', plan, createdAt: 0, ...limits };
}

describe('the quota of a key', () => {
  test.each<[Plan, number, number]>([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ])('on the %s plan is %i a minute and %i a day', (plan, perMinute, perDay) => {
    expect(quotaOf(keyOn(plan))).toMatchObject({ perMinute, perDay });
  });

  test('on the enterprise plan is its own', () => {
    expect(quotaOf(keyOn('enterprise', { perMinute: 5_000, perDay: 7 }))).toEqual({ perMinute: 5_000, perDay: 7 });
  });

  test('on a plan with limits is the plan’s, whatever else stands with the key', () => {
    expect(quotaOf(keyOn('free', { perMinute: 5_000, perDay: 5_000 }))).toMatchObject({ perMinute: 60, perDay: 1_000 });
  });

  test.each([
    ['both', {}],
    ['the one per day', { perMinute: 1 }],
    ['the one per minute', { perDay: 1 }],
  ])('on the enterprise plan without limits, %s, is a fault and not unlimited', (_, limits) => {
    expect(() => quotaOf(keyOn('enterprise', limits))).toThrow('key_0123456789abcdef');
  });
});

test('requests without a key have a quota of their own', () => {
  expect(anonymousQuota).toMatchObject({ perMinute: expect.any(Number), perDay: expect.any(Number) });
});
