import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import type { Contract } from '../common/contract.ts';
import { checkNewKey, KeyError, type KeyProblem, type NewKey } from './new-key.ts';

const { plans }: Pick<Contract, 'plans'> = contract;
const planNames = Object.keys(plans);
const free: NewKey = { plan: 'free' };
const enterprise: NewKey = { plan: 'enterprise', perMinute: 10, perDay: 20 };

function problemOf(newKey: NewKey): KeyProblem | undefined {
  try {
    checkNewKey(newKey, plans);
    return undefined;
  } catch (error) {
    if (error instanceof KeyError) return error.problem;
    throw error;
  }
}

describe('checkNewKey', () => {
  test.each([
    free,
    { ...free, name: 'x' },
    { ...free, name: '🐈‍⬛'.repeat(33) },
    { ...free, name: `O'Hara & Söhne <"שלום">` },
    { ...free, expiresIn: 1 },
    { ...free, expiresIn: 36_500 * 86_400_000 },
    enterprise,
    { ...enterprise, perMinute: Number.MAX_SAFE_INTEGER, perDay: Number.MAX_SAFE_INTEGER },
    { ...enterprise, perMinute: 1, perDay: 1 },
  ])('accepts %j', (newKey) => {
    expect(problemOf(newKey)).toBeUndefined();
  });

  test.each([
    '',
    '   ',
    'x'.repeat(101),
    '🐈'.repeat(101),
    'a\nb',
    '\u001b[31mred',
    'a\u0007',
    '\u009b31m',
    '\ud800',
    'a\u202eb',
    'a\u2028b',
  ])('refuses the name %j', (name) => {
    expect(problemOf({ ...free, name })).toBe('name_invalid');
  });

  test.each(['constructor', '__proto__', 'gold'])('refuses the plan %s, which does not exist', (plan) => {
    expect(problemOf({ plan })).toBe('plan_unknown');
  });

  test.each(planNames)('the plan %s has either fixed limits or needs its own', (plan) => {
    const custom = 'custom' in (plans[plan] ?? {});
    expect(problemOf({ plan })).toBe(custom ? 'limits_missing' : undefined);
    expect(problemOf({ plan, perMinute: 1, perDay: 1 })).toBe(custom ? undefined : 'limits_forbidden');
    expect(problemOf({ plan, perMinute: 1 })).toBe(custom ? 'limits_missing' : 'limits_forbidden');
    expect(problemOf({ plan, perDay: 1 })).toBe(custom ? 'limits_missing' : 'limits_forbidden');
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the limit %d', (limit) => {
    expect(problemOf({ ...enterprise, perMinute: limit })).toBe('limits_invalid');
    expect(problemOf({ ...enterprise, perDay: limit })).toBe('limits_invalid');
  });

  test('refuses fewer requests per day than per minute', () => {
    expect(problemOf({ ...enterprise, perMinute: 21 })).toBe('limits_invalid');
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 36_500 * 86_400_000 + 1])(
    'refuses the duration %d',
    (expiresIn) => {
      expect(problemOf({ ...free, expiresIn })).toBe('duration_invalid');
    },
  );
});
