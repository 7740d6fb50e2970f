import { type BrokenCase, copy, remove, set } from './case.ts';

const shared = '/components/responses';
const body = 'content/application~1json';
const errorCode = '/components/schemas/ErrorCode';

/** Documents that break scripts/lint/errors.yaml. */
export const brokenErrors: readonly BrokenCase[] = [
  {
    rule: 'rule/error-reply-is-json',
    when: 'an error has no body',
    edits: [remove(`${shared}/PetNotFound/content`)],
    at: `#${shared}/PetNotFound/content`,
    says: 'Document it under content, application/json.',
  },
  {
    rule: 'rule/error-reply-is-json',
    when: 'an error is of another media type',
    edits: [
      copy(`${shared}/PetNotFound/${body}`, `${shared}/PetNotFound/content/application~1problem+json`),
      remove(`${shared}/PetNotFound/${body}`),
    ],
    at: `#${shared}/PetNotFound/content`,
    says: 'Document it under content, application/json.',
  },
  {
    rule: 'rule/error-body-is-error',
    when: 'an error has a schema of its own',
    edits: [copy('/components/schemas/Error', `${shared}/PetNotFound/${body}/schema`)],
    at: `#${shared}/PetNotFound/${body}/schema`,
    says: "Write schema: { $ref: '#/components/schemas/Error' }.",
  },
  {
    rule: 'rule/error-code-has-x-codes',
    when: 'ErrorCode has no rows',
    edits: [remove(`${errorCode}/x-codes`)],
    at: `#${errorCode}`,
    says: 'x-codes is required',
  },
  {
    rule: 'rule/error-code-has-x-codes',
    when: 'ErrorCode has no enum',
    edits: [remove(`${errorCode}/enum`)],
    at: `#${errorCode}`,
    says: 'enum is required',
  },
  ...['status', 'cause', 'action'].map((name) => ({
    rule: 'rule/error-rows-are-complete',
    when: `a row has no ${name}`,
    edits: [remove(`${errorCode}/x-codes/rate_limited/${name}`)],
    at: `#${errorCode}/x-codes/rate_limited`,
    says: `must have required property '${name}'`,
  })),
  {
    rule: 'rule/error-rows-are-complete',
    when: 'the action of a row is empty',
    edits: [set(`${errorCode}/x-codes/rate_limited/action`, '')],
    at: `#${errorCode}/x-codes/rate_limited/action`,
    says: 'A code has its status (400 to 599), its cause, and the action that helps.',
  },
  {
    rule: 'rule/error-rows-are-complete',
    when: 'the status of a row is no error',
    edits: [set(`${errorCode}/x-codes/method_not_allowed/status`, 204)],
    at: `#${errorCode}/x-codes/method_not_allowed/status`,
    says: 'must be >= 400',
  },
  {
    rule: 'animal-store/error-codes',
    when: 'a code has no row',
    edits: [remove(`${errorCode}/x-codes/route_not_found`)],
    at: `#${errorCode}/enum/5`,
    says: 'Add a row for "route_not_found" under x-codes.',
  },
  {
    rule: 'animal-store/error-codes',
    when: 'a row has no code',
    edits: [remove(`${errorCode}/enum/5`)],
    at: `#${errorCode}/x-codes/route_not_found`,
    says: 'Add "route_not_found" to the enum of ErrorCode.',
  },
  {
    rule: 'no-invalid-media-type-examples',
    when: 'an example has a code that is not in the list',
    edits: [set(`${shared}/PetNotFound/${body}/examples/notFound/value/code`, 'no_such_pet')],
    at: `#${shared}/PetNotFound/${body}/examples/notFound/value/code`,
    says: 'must be equal to one of the allowed values',
  },
  {
    rule: 'animal-store/error-examples',
    when: 'an example has another status than the row of its code',
    edits: [set(`${errorCode}/x-codes/pet_not_found/status`, 410)],
    at: `#${shared}/PetNotFound/${body}/examples/notFound/value/status`,
    says: '"pet_not_found" has the status 410 in x-codes. Use it here, or another code.',
  },
  {
    rule: 'animal-store/error-examples',
    when: 'an example has another status than its reply',
    edits: [set('/paths/~1pets/get/responses/409', { $ref: `#${shared}/PetNotFound` })],
    at: `#${shared}/PetNotFound/${body}/examples/notFound/value/status`,
    says: 'This example stands in the reply 409. Give it that status, not 404.',
  },
  {
    rule: 'animal-store/error-examples',
    when: 'a single example (without a name) has a wrong status',
    edits: [
      copy(`${shared}/PetNotFound/${body}/examples/notFound/value`, `${shared}/PetNotFound/${body}/example`),
      remove(`${shared}/PetNotFound/${body}/examples`),
      set(`${errorCode}/x-codes/pet_not_found/status`, 410),
    ],
    at: `#${shared}/PetNotFound/${body}/example/status`,
    says: '"pet_not_found" has the status 410 in x-codes.',
  },
  {
    rule: 'animal-store/error-examples',
    when: 'an example from components has a wrong status',
    edits: [
      set('/components/examples', {}),
      copy(`${shared}/PetNotFound/${body}/examples/notFound`, '/components/examples/notFound'),
      set(`${shared}/PetNotFound/${body}/examples/notFound`, { $ref: '#/components/examples/notFound' }),
      set(`${errorCode}/x-codes/pet_not_found/status`, 410),
    ],
    at: '#/components/examples/notFound/value/status',
    says: '"pet_not_found" has the status 410 in x-codes.',
  },
];
