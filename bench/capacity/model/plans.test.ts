import { plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { smallestPlan } from './plans.ts';

test('a key needs the plan whose minute and day both hold', () => {
  expect(smallestPlan(plans.free.perDay / 86_400)).toBe('free');
  // Its minute would still be enough.
  expect(smallestPlan((plans.free.perDay + 1) / 86_400)).toBe('pro');
  expect(smallestPlan(plans.business.perDay / 86_400)).toBe('business');
  expect(smallestPlan(plans.business.perMinute / 60 + 1)).toBe('enterprise');
});
