import { type BrokenCase, copy, remove, set } from './case.ts';

const list = '/paths/~1pets/get/responses';
const created = '/paths/~1pets/post/responses/201';
const shared = '/components/responses';

/** Documents that break scripts/lint/replies.yaml. */
export const brokenReplies: readonly BrokenCase[] = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'].flatMap((header) => [
    {
      rule: 'response-contains-header',
      when: `a reply of one operation has no ${header}`,
      edits: [remove(`${list}/200/headers/${header}`)],
      at: `#${list}/200/headers`,
      says: `must contain a "${header}" header`,
    },
    {
      rule: 'response-contains-header',
      when: `a shared reply has no ${header}`,
      edits: [remove(`${shared}/ServiceUnavailable/headers/${header}`)],
      at: `#${shared}/ServiceUnavailable/headers`,
      says: `must contain a "${header}" header`,
    },
  ]),
  {
    rule: 'response-contains-header',
    when: 'a default reply lacks a header',
    edits: [
      set(`${list}/default`, { $ref: `#${shared}/InternalServerError` }),
      remove(`${shared}/InternalServerError/headers/X-Request-Id`),
    ],
    at: `#${shared}/InternalServerError/headers`,
    says: 'must contain a "X-Request-Id" header',
  },
  {
    rule: 'rule/reply-201-has-location',
    when: 'a 201 has no Location',
    edits: [
      remove(`${created}/headers/Location`),
      // Kept in use, so that only the 201 is wrong.
      set(`${list}/200/headers/Location`, { $ref: '#/components/headers/Location' }),
    ],
    at: `#${created}/headers`,
    says: 'Document its header Location',
  },
  {
    rule: 'rule/reply-401-has-www-authenticate',
    when: 'the 401 has no WWW-Authenticate',
    edits: [copy(`${shared}/Unauthorized`, `${list}/401`), remove(`${list}/401/headers/WWW-Authenticate`)],
    at: `#${list}/401/headers`,
    says: 'Document its header WWW-Authenticate',
  },
  {
    rule: 'rule/reply-401-has-www-authenticate',
    when: 'a shared 401 has none, and lint met it before under another status',
    edits: [
      copy(`${shared}/Unauthorized`, `${list}/401`),
      set(`${list}/4XX`, { $ref: `#${shared}/Unauthorized` }),
      remove(`${shared}/Unauthorized/headers/WWW-Authenticate`),
    ],
    at: `#${shared}/Unauthorized/headers`,
    says: 'Document its header WWW-Authenticate',
  },
  {
    rule: 'rule/reply-429-and-503-have-retry-after',
    when: 'the 429 has no Retry-After',
    edits: [remove(`${shared}/TooManyRequests/headers/Retry-After`)],
    at: `#${shared}/TooManyRequests/headers`,
    says: 'Document their header Retry-After',
  },
  {
    rule: 'rule/reply-429-and-503-have-retry-after',
    when: 'the 503 has no Retry-After',
    edits: [remove(`${shared}/ServiceUnavailable/headers/Retry-After`)],
    at: `#${shared}/ServiceUnavailable/headers`,
    says: 'Document their header Retry-After',
  },
];
