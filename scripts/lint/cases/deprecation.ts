import { type BrokenCase, remove, set } from './case.ts';

const operation = '/paths/~1pets~1{petId}/get';
const deprecation = `${operation}/x-deprecation`;

/** Documents that break scripts/lint/deprecation.yaml. */
export const brokenDeprecations: readonly BrokenCase[] = [
  {
    rule: 'rule/deprecated-has-x-deprecation',
    when: 'a deprecated operation has no x-deprecation',
    edits: [remove(deprecation)],
    at: `#${deprecation}`,
    says: 'Should be defined',
  },
  ...['since', 'sunset', 'successor', 'documentation'].map((name) => ({
    rule: 'rule/deprecated-has-x-deprecation',
    when: `x-deprecation has no ${name}`,
    edits: [remove(`${deprecation}/${name}`)],
    at: `#${deprecation}`,
    says: `must have required property '${name}'`,
  })),
  {
    rule: 'rule/deprecated-has-x-deprecation',
    when: 'a date has no time of day',
    edits: [set(`${deprecation}/sunset`, '2030-12-05')],
    at: `#${deprecation}/sunset`,
    says: 'UTC, like 2030-12-05T00:00:00Z',
  },
  {
    rule: 'rule/deprecated-has-x-deprecation',
    when: 'the documentation is no address',
    edits: [set(`${deprecation}/documentation`, 'ask us')],
    at: `#${deprecation}/documentation`,
    says: 'a path or an https address',
  },
  {
    rule: 'rule/x-deprecation-needs-deprecated',
    when: 'an operation with x-deprecation is not marked as deprecated',
    edits: [remove(`${operation}/deprecated`)],
    at: `#${operation}/deprecated`,
    says: 'Add "deprecated: true"',
  },
  {
    rule: 'rule/x-deprecation-needs-deprecated',
    when: 'an operation with x-deprecation says "deprecated: false"',
    edits: [set(`${operation}/deprecated`, false)],
    at: `#${operation}/deprecated`,
    says: 'Add "deprecated: true"',
  },
  ...['Deprecation', 'Sunset', 'Link'].flatMap((header) => [
    {
      rule: 'rule/deprecated-replies-have-headers',
      when: `the 200 of a deprecated operation has no ${header}`,
      edits: [remove(`${operation}/responses/200/headers/${header}`)],
      at: `#${operation}/responses/200/headers`,
      says: `must have required property '${header}'`,
    },
    {
      rule: 'rule/deprecated-replies-have-headers',
      when: `a shared error of a deprecated operation has no ${header}`,
      edits: [remove(`/components/responses/BadRequest/headers/${header}`)],
      at: '#/components/responses/BadRequest/headers',
      says: `must have required property '${header}'`,
    },
  ]),
  {
    rule: 'animal-store/deprecation-dates',
    when: 'the sunset is the moment of the deprecation',
    edits: [set(`${deprecation}/since`, '2030-12-05T00:00:00Z')],
    at: `#${deprecation}/sunset`,
    says: 'is not after since 2030-12-05T00:00:00Z. Give it a later date.',
  },
  {
    rule: 'animal-store/deprecation-dates',
    when: 'the sunset is past',
    edits: [
      set(`${deprecation}/since`, '2025-11-20T00:00:00Z'),
      set(`${deprecation}/sunset`, '2026-11-20T11:59:59Z'),
      set(`${operation}/description`, 'Removed on 20 November 2026.'),
    ],
    at: `#${deprecation}/sunset`,
    says: 'The sunset 2026-11-20T11:59:59Z is past. Remove the operation, or give it a later sunset.',
  },
  {
    rule: 'animal-store/deprecation-dates',
    when: 'the sunset is a day that the calendar does not have',
    edits: [set(`${deprecation}/sunset`, '2031-02-29T00:00:00Z')],
    at: `#${deprecation}/sunset`,
    says: 'The calendar has no 2031-02-29T00:00:00Z.',
  },
  {
    rule: 'animal-store/deprecation-dates',
    when: 'the deprecation begins at an hour that does not exist',
    edits: [set(`${deprecation}/since`, '2026-11-20T25:00:00Z')],
    at: `#${deprecation}/since`,
    says: 'Give since a date that exists.',
  },
  {
    rule: 'animal-store/deprecation-description',
    when: 'the description names another day than the sunset',
    edits: [set(`${deprecation}/sunset`, '2030-12-06T00:00:00Z')],
    at: `#${operation}/description`,
    says: 'Write it like this: 6 December 2030.',
  },
  {
    rule: 'animal-store/deprecation-successor',
    when: 'the successor is no operation',
    edits: [set(`${deprecation}/successor`, 'findPets')],
    at: `#${deprecation}/successor`,
    says: '"findPets" is no operation, or a deprecated one. Name one that stays: ',
  },
  {
    rule: 'animal-store/deprecation-successor',
    when: 'the successor is deprecated itself',
    edits: [set(`${deprecation}/successor`, 'getPet')],
    at: `#${deprecation}/successor`,
    says: 'Name one that stays: ',
  },
];
