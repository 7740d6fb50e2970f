import { isDeepStrictEqual } from 'node:util';
import { operations } from '@animal-store/contract';
import { type TestResponse, urlOf } from '../../harness.ts';
import { callOf, type ModelRequest } from '../actions/request.ts';
import type { Expected } from '../store/expected.ts';

/** Where a response differs from what the model says: one sentence each. */
export function differences(
  origin: string,
  request: ModelRequest,
  expected: Expected,
  response: TestResponse,
): string[] {
  const body = response.status < 400 ? response.body : { code: response.body.code, status: response.body.status };
  const link = nextLink(response.headers);
  return [
    ...unlessEqual('the status', expected.status, response.status),
    ...unlessEqual('the body', expected.body, body),
    ...unlessEqual('Location', expected.location ?? null, response.headers.get('location')),
    ...unlessEqual(
      'Idempotency-Replayed',
      expected.replayed === true ? 'true' : null,
      response.headers.get('idempotency-replayed'),
    ),
    ...unlessEqual('a Link to the next page', expected.lastOfMore !== undefined, link !== undefined),
    ...(link === undefined ? [] : linkProblems(origin, request, link)),
  ];
}

function unlessEqual(what: string, expected: unknown, found: unknown): string[] {
  if (isDeepStrictEqual(expected, found)) return [];
  return [`${what} should be ${JSON.stringify(expected)}, and is ${JSON.stringify(found)}`];
}

/** The address of the next page; undefined where the response names none. */
export function nextLink(headers: Headers): URL | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return address === undefined ? undefined : new URL(address);
}

/** The next page is one of the same listing, with another cursor. */
function linkProblems(origin: string, request: ModelRequest, link: URL): string[] {
  const asked = new URL(urlOf(origin, request.id, callOf(request)));
  const name = (address: URL) => ({
    listing: `${address.origin}${address.pathname}`,
    limit: address.searchParams.get('limit') ?? String(operations.listPets.defaults.limit),
    status: address.searchParams.get('status'),
  });
  const isNew = link.searchParams.get('cursor') !== asked.searchParams.get('cursor');
  return [
    ...unlessEqual('the next page', name(asked), name(link)),
    ...(isNew ? [] : ['Link names the same page again']),
  ];
}
