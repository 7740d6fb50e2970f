import type { OutgoingHttpHeaders } from 'node:http';
import type { OperationId } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { OperationFacts } from '../../../../service/src/common/facts.ts';
import type { Route } from '../../../../service/src/openapi/compiled-contract.ts';
import { ContractViolationError, createResponseCheck } from '../../../../service/src/openapi/response-check.ts';
import { compiled, routeOf } from '../../contract.ts';

const { check } = createResponseCheck(compiled);

const common = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1796083260',
  'x-request-id': 'request-1',
};
const pet = { id: 1, name: 'Rex', categoryId: 3, status: 'available' };
const notFound = { code: 'pet_not_found', message: 'No animal has the ID 42.', status: 404 };

/** The required headers of a success of an operation, in addition to the common ones. */
function cachingOf({ responses }: OperationFacts): OutgoingHttpHeaders {
  const [facts] = Object.values(responses);
  const policy = facts?.cacheControl === 'no-store' ? {} : { 'cache-control': facts?.cacheControl };
  return { ...policy, ...(facts?.etag === true ? { etag: '"a"' } : {}) };
}

function response(route: Route, status: number, body: unknown, headers: OutgoingHttpHeaders = {}) {
  const caching = route.kind === 'operation' && status < 300 ? cachingOf(route.operation.facts) : {};
  const sent = Object.entries({ ...common, ...caching, ...headers }).filter(([, value]) => value !== undefined);
  const contentType = body === undefined ? undefined : 'application/json';
  const outgoing = { status, headers: {}, body: JSON.stringify(body), contentType };
  return () => check(route, outgoing, Object.fromEntries(sent));
}

describe('a violation of an operation’s contract is found', () => {
  test.each<[string, OperationId, number, unknown, OutgoingHttpHeaders, string]>([
    ['a status of another operation', 'listPets', 404, notFound, {}, 'the status 404 is not documented'],
    ['a missing property', 'getPet', 200, { id: 1, name: 'Rex' }, {}, "body must have required property 'categoryId'"],
    ['a status that is null', 'getPet', 200, { ...pet, status: null }, {}, 'body/status must be'],
    ['an invalid item in a page', 'listPets', 200, [pet, { ...pet, id: 'x' }], {}, 'body/1/id must be integer'],
    ['an unknown code', 'getPet', 404, { ...notFound, code: 'oops' }, {}, 'body/code must be equal to one of'],
    ['a code of another status', 'getPet', 404, { ...notFound, code: 'rate_limited' }, {}, 'belongs to the status 429'],
    ['another status in the body', 'getPet', 404, { ...notFound, status: 400 }, {}, 'the body says the status 400'],
    ['a success with the body of an error', 'getPet', 200, notFound, {}, "body must have required property 'id'"],
    ['no Location', 'createPet', 201, pet, {}, 'the header Location is missing'],
    ['no limit', 'listPets', 200, [], { 'x-ratelimit-limit': undefined }, 'X-RateLimit-Limit is missing'],
    ['two limits', 'listPets', 200, [], { 'x-ratelimit-limit': ['1', '2'] }, 'X-RateLimit-Limit must be integer'],
    ['an invalid request ID', 'listPets', 200, [], { 'x-request-id': 'a b' }, 'X-Request-Id must match pattern'],
    ['a bad date', 'getPet', 200, pet, { sunset: '2030-12-05' }, 'the header Sunset must match pattern'],
    [
      'an undocumented header',
      'listPets',
      200,
      [],
      { 'x-powered-by': 'x' },
      'the header x-powered-by is not documented',
    ],
    ['a header of another status', 'listPets', 200, [], { 'retry-after': '1' }, 'retry-after is not documented'],
  ])('%s', (_, id, status, body, headers, problem) => {
    const sending = response(routeOf(id), status, body, headers);
    expect(sending).toThrow(ContractViolationError);
    expect(sending).toThrow(problem);
    expect(sending).toThrow(`The response ${status} of ${id} is not as documented: `);
  });

  test.each([
    ['a 401 that does not say how to authenticate', 401, 'api_key_invalid', 'WWW-Authenticate'],
    ['a 429 that does not say how long to wait', 429, 'rate_limited', 'Retry-After'],
    ['a 503 that does not say how long to wait', 503, 'service_unavailable', 'Retry-After'],
  ])('%s', (_, status, code, header) => {
    const sending = response(routeOf('listPets'), status, { code, message: 'x', status });
    expect(sending).toThrow(`the header ${header} is missing`);
  });

  test('in every response, not only in the first one', () => {
    const sending = response(routeOf('getPet'), 200, {});
    expect(sending).toThrow(ContractViolationError);
    expect(sending).toThrow(ContractViolationError);
    expect(response(routeOf('getPet'), 200, pet)).not.toThrow();
  });
});

describe('a violation is found in a response to a request that matches no operation', () => {
  test.each<[string, number, unknown, OutgoingHttpHeaders, string]>([
    ['a body that is not an Error', 404, { error: 'x' }, {}, "body must have required property 'code'"],
    ['a code of another status', 400, notFound, {}, 'the code pet_not_found belongs to the status 404'],
    ['a success', 200, [pet], {}, 'body must be object'],
    ['no limit', 404, notFound, { 'x-ratelimit-limit': undefined }, 'the header X-RateLimit-Limit is missing'],
    ['a Retry-After of zero', 404, notFound, { 'retry-after': '0' }, 'the header Retry-After must be >= 1'],
    ['an undocumented header', 404, notFound, { 'x-powered-by': 'x' }, 'the header x-powered-by is not documented'],
  ])('%s', (_, status, body, headers, problem) => {
    for (const kind of ['unknown', 'malformed'] as const) {
      const sending = response({ kind }, status, body, headers);
      expect(sending).toThrow(ContractViolationError);
      expect(sending).toThrow(problem);
    }
  });
});
