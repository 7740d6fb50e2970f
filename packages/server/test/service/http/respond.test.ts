import { operations } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { Route } from '../../../../service/src/contract/compiled-contract.ts';
import { RequestContext } from '../../../../service/src/http/context.ts';
import { commonHeaders, type HeaderList, limitHeaders, plainHeaders } from '../../../../service/src/http/respond.ts';
import type { Verdict } from '../../../../service/src/rate-limit/count-request.ts';
import { compiled, operationIds, routeOf } from '../../contract.ts';

function contextAt(route: Route, originOf = () => 'http://a.example'): RequestContext {
  return new RequestContext({
    requestId: 'id-1',
    contract: compiled,
    route,
    trace: undefined,
    receivedAt: 0,
    originOf,
  });
}

const ids = operationIds();
const verdict: Verdict = {
  outcome: 'allowed',
  banStarted: false,
  window: 'minute',
  limit: 20,
  remaining: 7,
  reset: 1_800_000_000,
  other: { limit: 1_000, remaining: 900, reset: 1_800_000_000 },
  bannedUntil: 0,
  retryAfter: 0,
};

/** Names and values in pairs. */
function pairsOf(list: HeaderList): [name: string, value: string][] {
  expect(list.length % 2).toBe(0);
  return Array.from({ length: list.length / 2 }, (_, index) => [list[2 * index] ?? '', list[2 * index + 1] ?? '']);
}

describe('the headers of every response', () => {
  test('are the request ID and the constant headers if the request was not counted and matched no operation', () => {
    for (const kind of ['unknown', 'malformed'] as const) {
      expect(commonHeaders(contextAt({ kind }))).toEqual(['X-Request-Id', 'id-1', ...plainHeaders]);
    }
  });

  test('include the quota once the request is counted', () => {
    const context = contextAt({ kind: 'unknown' });
    context.verdict = verdict;
    expect(commonHeaders(context)).toEqual(['X-Request-Id', 'id-1', ...plainHeaders, ...limitHeaders(verdict)]);
    expect(Object.fromEntries(pairsOf(limitHeaders(verdict)))).toEqual({
      'X-RateLimit-Limit': '20',
      'X-RateLimit-Remaining': '7',
      'X-RateLimit-Reset': '1800000000',
    });
  });

  test.each(ids)('announce the stability or deprecation of %s as the contract states it', (id) => {
    const own = pairsOf(commonHeaders(contextAt(routeOf(id)))).slice(1 + plainHeaders.length / 2);
    const { stability, deprecation } = operations[id];
    const names = own.map(([name]) => name);
    expect(names.includes('X-Stability')).toBe(String(stability) === 'beta');
    const dates = deprecation === null ? [] : ['Deprecation', 'Sunset', 'Link', 'Link'];
    expect(names.filter((name) => name !== 'X-Stability')).toEqual(dates);
  });

  test('are a new list for each response, so that a response may add its own', () => {
    for (const id of ids) {
      const first = commonHeaders(contextAt(routeOf(id)));
      const copy = [...first];
      first.push('Connection', 'close');
      expect(commonHeaders(contextAt(routeOf(id)))).toEqual(copy);
    }
  });

  test('contain each header once, except Link', () => {
    const context = contextAt({ kind: 'unknown' });
    context.verdict = verdict;
    const names = pairsOf(commonHeaders(context)).map(([name]) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  test('compute the origin only if there are links, and once', () => {
    let asked = 0;
    const context = contextAt({ kind: 'unknown' }, () => {
      asked += 1;
      return '';
    });
    commonHeaders(context);
    expect(asked).toBe(0);
    expect([context.origin, context.origin]).toEqual(['', '']);
    expect(asked).toBe(1);
  });
});
