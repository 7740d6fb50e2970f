import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import type { Contract } from '../common/facts.ts';
import { checkNewKey, KeyError, type NewKey } from './new-key.ts';

const { plans }: Pick<Contract, 'plans'> = contract;
const planNames = Object.keys(plans);
const free: NewKey = { plan: 'free' };
const enterprise: NewKey = { plan: 'enterprise', perMinute: 10, perDay: 20 };

const missing = expect.stringContaining('Add --per-minute N --per-day N.');
const forbidden = expect.stringContaining('Omit --per-minute and --per-day.');

function problemOf(newKey: NewKey): string | undefined {
  try {
    checkNewKey(newKey, plans);
    return undefined;
  } catch (error) {
    if (error instanceof KeyError) return error.message;
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
    expect(problemOf({ ...free, name })).toContain('Change --name.');
  });

  test.each(['constructor', '__proto__', 'gold'])('refuses the plan %s, which does not exist', (plan) => {
    expect(problemOf({ plan })).toContain('Change --plan.');
  });

  test.each(planNames)('the plan %s has either fixed limits or needs its own', (plan) => {
    const custom = 'custom' in (plans[plan] ?? {});
    expect(problemOf({ plan })).toEqual(custom ? missing : undefined);
    expect(problemOf({ plan, perMinute: 1, perDay: 1 })).toEqual(custom ? undefined : forbidden);
    expect(problemOf({ plan, perMinute: 1 })).toEqual(custom ? missing : forbidden);
    expect(problemOf({ plan, perDay: 1 })).toEqual(custom ? missing : forbidden);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the limit %d', (limit) => {
    expect(problemOf({ ...enterprise, perMinute: limit })).toContain('Change --per-minute or --per-day.');
    expect(problemOf({ ...enterprise, perDay: limit })).toContain('Change --per-minute or --per-day.');
  });

  test('refuses fewer requests per day than per minute', () => {
    expect(problemOf({ ...enterprise, perMinute: 21 })).toContain('Change --per-minute or --per-day.');
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 36_500 * 86_400_000 + 1])(
    'refuses the duration %d',
    (expiresIn) => {
      expect(problemOf({ ...free, expiresIn })).toContain('Change the duration.');
    },
  );
});
