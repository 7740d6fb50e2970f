import { type BrokenCase, remove, set } from './case.ts';

const limits = '/x-rate-limits';

/** Documents that break scripts/lint/limits.yaml. */
export const brokenLimits: readonly BrokenCase[] = [
  {
    rule: 'rule/rate-limits-are-complete',
    when: 'there are no quotas',
    edits: [remove(limits)],
    at: `#${limits}`,
    says: 'x-rate-limits has the plans free, pro and business',
  },
  ...['plans', 'anonymous', 'ban'].map((name) => missing('', name)),
  ...['free', 'pro', 'business', 'enterprise'].map((plan) => missing('/plans', plan)),
  ...['free', 'pro', 'business'].flatMap((plan) =>
    ['perMinute', 'perDay'].map((name) => missing(`/plans/${plan}`, name)),
  ),
  missing('/plans/enterprise', 'custom'),
  missing('/anonymous', 'perMinute'),
  missing('/anonymous', 'perDay'),
  ...['graceSeconds', 'toleratedRefusals', 'firstSeconds', 'factor', 'maximumSeconds', 'forgetAfterSeconds'].flatMap(
    (name) => [missing('/ban', name), wrong(`/ban/${name}`, '60', 'must be integer')],
  ),
  wrong('/plans/free/perMinute', 0, 'must be >= 1'),
  wrong('/plans/pro/perDay', 10000.5, 'must be integer'),
  wrong('/plans/business/perMinute', '1000', 'must be integer'),
  wrong('/plans/enterprise/custom', false, 'must be equal to constant'),
  wrong('/ban/factor', 0, 'must be >= 1'),
  wrong('/anonymous/perMinute', -60, 'must be >= 1'),
  {
    rule: 'rule/limits-are-positive',
    when: 'a limit is 0',
    edits: [set('/x-limits/bodyBytes', 0)],
    at: '#/x-limits/bodyBytes',
    says: 'whole and at least 1',
  },
  {
    rule: 'rule/limits-are-positive',
    when: 'there are no limits',
    edits: [remove('/x-limits')],
    at: '#/x-limits',
    says: 'Should be defined',
  },
  tooLarge('plans/pro', 'perMinute', 10001, 'perDay'),
  tooLarge('anonymous', 'perMinute', 1001, 'perDay'),
  tooLarge('ban', 'firstSeconds', 3601, 'maximumSeconds'),
];

function missing(group: string, name: string): BrokenCase {
  return {
    rule: 'rule/rate-limits-are-complete',
    when: `${group}/${name} is missing`,
    edits: [remove(`${limits}${group}/${name}`)],
    at: `#${limits}${group}`,
    says: `must have required property '${name}'`,
  };
}

function wrong(path: string, value: unknown, says: string): BrokenCase {
  return {
    rule: 'rule/rate-limits-are-complete',
    when: `${path} is ${JSON.stringify(value)}`,
    edits: [set(`${limits}${path}`, value)],
    at: `#${limits}${path}`,
    says,
  };
}

function tooLarge(group: string, name: string, value: number, than: string): BrokenCase {
  return {
    rule: 'animal-store/rate-limit-order',
    when: `${name} of ${group} is larger than ${than}`,
    edits: [set(`${limits}/${group}/${name}`, value)],
    at: `#${limits}/${group}/${name}`,
    says: `${name} (${value}) is larger than ${than}`,
  };
}
