import { isDeepStrictEqual } from 'node:util';
import { operationFacts } from '@animal-store/contract';
import { type TestResponse, urlOf } from '../../harness.ts';
import type { ModelRequest } from '../actions/action.ts';
import { callOf } from '../actions/request.ts';
import { learnEtag } from '../store/etags.ts';
import type { Expected } from '../store/expected.ts';
import type { Store } from '../store/store.ts';

/** The differences between a response and the prediction of the model, one sentence each. */
export function differences(
  { origin, etags }: Store,
  request: ModelRequest,
  expected: Expected,
  response: TestResponse,
): string[] {
  const body = response.status < 400 ? response.body : { code: response.body.code, status: response.body.status };
  const link = nextLink(response.headers);
  const problems = [
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
    ...(expected.etag === undefined ? [] : unlessEqual('the ETag', expected.etag, response.headers.get('etag'))),
  ];
  if (problems.length > 0 || operationFacts[request.id].responses[response.status]?.etag !== true) return problems;
  return learnEtag(etags, request.id, expected, response.headers.get('etag'));
}

function unlessEqual(what: string, expected: unknown, found: unknown): string[] {
  if (isDeepStrictEqual(expected, found)) return [];
  return [`${what} should be ${JSON.stringify(expected)}, and is ${JSON.stringify(found)}`];
}

/** The URL of the next page; undefined if the response has none. */
export function nextLink(headers: Headers): URL | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return address === undefined ? undefined : new URL(address);
}

/** The next page must belong to the same listing, with another cursor. */
function linkProblems(origin: string, request: ModelRequest, link: URL): string[] {
  const asked = new URL(urlOf(origin, request.id, callOf(request)));
  const name = (url: URL) => {
    const { limit = String(operationFacts[request.id].defaults['limit']), ...filters } = parametersOf(url);
    return { listing: `${url.origin}${url.pathname}`, limit, ...filters };
  };
  const isNew = link.searchParams.get('cursor') !== asked.searchParams.get('cursor');
  return [
    ...unlessEqual('the next page', name(asked), name(link)),
    ...(isNew ? [] : ['Link refers to the same page again']),
  ];
}

/** The parameters of a URL without the cursor. The values of a repeated name are joined with commas. */
function parametersOf({ searchParams }: URL): Record<string, string> {
  const names = [...new Set(searchParams.keys())].filter((name) => name !== 'cursor');
  return Object.fromEntries(names.map((name) => [name, searchParams.getAll(name).join()]));
}
