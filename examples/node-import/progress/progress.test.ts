import type { ClientEvent } from '@animal-store/client';
import { expect, test } from '@jest/globals';
import { type Hold, holdAfter } from './progress.ts';

const about = { call: 1, method: 'POST', url: 'http://127.0.0.1/v1/pets', attempt: 1, idempotencyKey: undefined };
const until = new Date('2026-12-01T12:01:00Z');
const quota: Hold = { kind: 'quota', until: until.getTime() };
const trouble: Hold = { kind: 'trouble' };

function response(status: number): ClientEvent {
  return { type: 'response', status, duration: 1, requestId: undefined, rateLimit: undefined, ...about };
}

const cases: [string, Hold | undefined, ClientEvent, Hold | undefined][] = [
  [
    'a shut gate holds the import',
    undefined,
    { type: 'gate', state: 'shut', retryAfter: 50_000, code: 'rate_limited' },
    quota,
  ],
  [
    'a ban holds the import',
    undefined,
    { type: 'gate', state: 'shut', retryAfter: 50_000, code: 'key_banned' },
    { ...quota, kind: 'ban' },
  ],
  ['an open gate does not hold it', quota, { type: 'gate', state: 'open' }, undefined],
  ['a failed attempt holds it', undefined, { type: 'retry', delay: 1, cause: new TypeError(), ...about }, trouble],
  ['a server error holds it', undefined, { type: 'retry', delay: 1, cause: 503, ...about }, trouble],
  ['only the gate reports a refusal for the quota', quota, { type: 'retry', delay: 0, cause: 429, ...about }, quota],
  ['a response ends the trouble', trouble, response(201), undefined],
  ['a server error does not end it', trouble, response(500), trouble],
  ['a response that arrives before an earlier refusal does not open the gate', quota, response(201), quota],
];

test.each(cases)('%s', (_, before, event, after) => {
  expect(holdAfter(before, event, until.getTime() - 50_000)).toEqual(after);
});
