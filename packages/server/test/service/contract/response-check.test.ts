import type { OutgoingHttpHeaders } from 'node:http';
import { errorStatus, type OperationId } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import type { OperationFacts } from '../../../../service/src/common/facts.ts';
import type { Route } from '../../../../service/src/contract/compiled-contract.ts';
import { ContractViolationError, createResponseCheck } from '../../../../service/src/contract/response-check.ts';
import { compiled, routeOf } from '../../contract.ts';

const { check } = createResponseCheck(compiled);

const common = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1796083260',
  'x-request-id': 'request-1',
};
const http = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Link',
  allow: 'GET',
  connection: 'close',
  'content-length': 2,
  'content-type': 'application/json',
  vary: 'Origin',
  'x-content-type-options': 'nosniff',
};
const location = { location: '/v1/pets/1' };
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

const noOperations: Route[] = [{ kind: 'unknown' }, { kind: 'wrong-method', allow: 'GET' }, { kind: 'malformed' }];

describe('a response as documented passes', () => {
  test.each<[string, OperationId, number, unknown, OutgoingHttpHeaders]>([
    ['an empty page', 'listPets', 200, [], {}],
    ['a page with a next one', 'listPets', 200, [pet], { link: '</v1/pets?cursor=x>; rel="next"' }],
    ['a page with several links', 'listPets', 200, [pet], { link: ['<a>; rel="next"', '<b>; rel="x"'] }],
    ['an animal without status', 'getPet', 200, { id: 1, name: 'Rex', categoryId: -3 }, {}],
    ['a created animal', 'createPet', 201, pet, location],
    ['a replayed one', 'createPet', 201, pet, { ...location, 'idempotency-replayed': 'true' }],
    ['headers of HTTP and CORS', 'listPets', 200, [], http],
    ['a text that looks like a number', 'listPets', 200, [], { 'x-request-id': '12345' }],
    ['header values that are numbers', 'listPets', 200, [], { 'x-ratelimit-limit': 60, 'x-ratelimit-reset': 1 }],
    [
      'a deprecated operation',
      'getPet',
      200,
      pet,
      { deprecation: '@1795132800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' },
    ],
    ['an error', 'getPet', 404, notFound, {}],
    [
      'an error with details',
      'listPets',
      400,
      { code: 'invalid_request', message: 'x', status: 400, details: [{ where: 'query/limit', what: 'x' }] },
      {},
    ],
    [
      'a refusal of a missing key',
      'listPets',
      401,
      { code: 'api_key_missing', message: 'x', status: 401 },
      { 'www-authenticate': 'Bearer realm="animal-store"' },
    ],
    [
      'a refusal over the limit',
      'createPet',
      429,
      { code: 'rate_limited', message: 'x', status: 429 },
      { 'retry-after': '1' },
    ],
  ])('%s', (_, id, status, body, headers) => {
    expect(response(routeOf(id), status, body, headers)).not.toThrow();
  });

  test.each(noOperations)('an error for a request that matches no operation: %j', (route) => {
    const wrongMethod = { code: 'method_not_allowed', message: 'x', status: 405 };
    expect(response(route, 404, notFound, http)).not.toThrow();
    expect(response(route, 405, wrongMethod, { allow: 'GET, HEAD' })).not.toThrow();
    const headers = { 'retry-after': '42', 'www-authenticate': 'Bearer' };
    expect(response(route, 429, { code: 'key_banned', message: 'x', status: 429 }, headers)).not.toThrow();
  });

  test.each(Object.entries(errorStatus))('the code %s with its status %i', (code, status) => {
    expect(response({ kind: 'unknown' }, status, { code, message: 'x', status })).not.toThrow();
  });
});

describe('a violation of an operation’s contract is found', () => {
  test.each<[string, OperationId, number, unknown, OutgoingHttpHeaders, string]>([
    ['a status of another operation', 'listPets', 404, notFound, {}, 'the status 404 is not documented'],
    ['a missing property', 'getPet', 200, { id: 1, name: 'Rex' }, {}, "body must have required property 'categoryId'"],
    [
      'an additional property',
      'getPet',
      200,
      { ...pet, colour: 'red' },
      {},
      'body must NOT have additional properties',
    ],
    ['a fraction', 'getPet', 200, { ...pet, categoryId: 1.5 }, {}, 'body/categoryId must be integer'],
    ['a status that is null', 'getPet', 200, { ...pet, status: null }, {}, 'body/status must be'],
    ['a control character', 'getPet', 200, { ...pet, name: 'a\0' }, {}, 'body/name must match pattern'],
    ['an invalid item in a page', 'listPets', 200, [pet, { ...pet, id: 'x' }], {}, 'body/1/id must be integer'],
    ['a page that is too long', 'listPets', 200, Array(101).fill(pet), {}, 'body must NOT have more than 100 items'],
    [
      'an error with an additional property',
      'getPet',
      404,
      { ...notFound, stack: 'x' },
      {},
      'body must NOT have additional properties',
    ],
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

  test.each(['0', '-1', '1.5', 'soon', 'Thu, 05 Dec 2030 00:00:00 GMT'])('a Retry-After of %s', (value) => {
    const body = { code: 'rate_limited', message: 'x', status: 429 };
    expect(response(routeOf('getPet'), 429, body, { 'retry-after': value })).toThrow('the header Retry-After must');
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
    [
      'an Error with an additional property',
      404,
      { ...notFound, path: '/x' },
      {},
      'body must NOT have additional properties',
    ],
    ['an unknown code', 404, { ...notFound, code: 'oops' }, {}, 'body/code must be equal to one of'],
    ['a code of another status', 400, notFound, {}, 'the code pet_not_found belongs to the status 404'],
    ['another status in the body', 404, { ...notFound, status: 400 }, {}, 'the body says the status 400'],
    ['an Error that is sent as a success', 200, notFound, {}, 'the code pet_not_found belongs to the status 404'],
    ['a success', 200, [pet], {}, 'body must be object'],
    ['no limit', 404, notFound, { 'x-ratelimit-limit': undefined }, 'the header X-RateLimit-Limit is missing'],
    ['no remaining', 404, notFound, { 'x-ratelimit-remaining': undefined }, 'X-RateLimit-Remaining is missing'],
    ['no reset', 404, notFound, { 'x-ratelimit-reset': undefined }, 'the header X-RateLimit-Reset is missing'],
    ['no request ID', 404, notFound, { 'x-request-id': undefined }, 'the header X-Request-Id is missing'],
    [
      'a limit that is not a number',
      404,
      notFound,
      { 'x-ratelimit-limit': 'many' },
      'X-RateLimit-Limit must be integer',
    ],
    ['a Retry-After of zero', 404, notFound, { 'retry-after': '0' }, 'the header Retry-After must be >= 1'],
    ['an undocumented header', 404, notFound, { 'x-powered-by': 'x' }, 'the header x-powered-by is not documented'],
  ])('%s', (_, status, body, headers, problem) => {
    for (const route of noOperations) {
      const sending = response(route, status, body, headers);
      expect(sending).toThrow(ContractViolationError);
      expect(sending).toThrow(problem);
    }
  });
});
