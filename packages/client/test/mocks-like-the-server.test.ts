/** Compares the mocks with the server: the same calls must get the same responses from both. */
import { responseHeaders } from '@animal-store/contract';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { setupServer } from 'msw/node';
import { NOON, startTestServer } from '../../server/test/harness.ts';
import { animalStoreMocks } from '../src/mocks/index.ts';

const mockUrl = 'https://api.animal-store.example';
const mocks = animalStoreMocks({ baseUrl: `${mockUrl}/v1`, data: { pets: [] } });
const mswServer = setupServer(...mocks.handlers);

/**
 * One call. `etag` is sent as If-Match or If-None-Match: the ETag of an earlier call, by its index in the list, or a
 * text.
 */
type Call = {
  send: string;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  /** Sends the ETag of the response to the call with this text. */
  match?: { header: 'If-Match'; of: string };
  /** Follows the `next` link of the response to the call with this text. */
  nextOf?: string;
};

const rex = { name: 'Rex', categoryId: 3, status: 'available' };
const merge = 'application/merge-patch+json';
const key = (value: string) => ({ headers: { 'Idempotency-Key': value } });

const calls: Call[] = [
  { send: 'GET /pets' },
  // Refused bodies
  { send: 'POST /pets' },
  { send: 'POST /pets', body: '{ "name": ' },
  { send: 'POST /pets', body: { name: '', categoryId: 'three', colour: 'brown' } },
  { send: 'POST /pets', body: { status: 'lost' } },
  { send: 'POST /pets', body: [] },
  { send: 'POST /pets', body: rex, headers: { 'Idempotency-Key': 'not ASCII: ä' } },
  // Creations
  { send: 'POST /pets', body: rex, ...key('a') },
  { send: 'POST /pets', body: { name: 'Mia', categoryId: 7 }, ...key('b') },
  { send: 'POST /pets', body: { ...rex, name: 'Bob', status: 'sold' } },
  // Lists
  { send: 'GET /pets?id=1' },
  { send: 'GET /pets?limit=2' },
  { send: 'the next page', nextOf: 'GET /pets?limit=2' },
  { send: 'GET /pets?status=sold' },
  { send: 'GET /pets?id=1&id=3&id=9' },
  { send: 'GET /pets?id=1&id=1' },
  { send: 'GET /pets?categoryId=3&limit=1' },
  { send: 'GET /pets?limit=0&status=lost&colour=brown' },
  { send: 'GET /pets?cursor=!' },
  { send: 'GET /pets?cursor=abc' },
  // One animal
  { send: 'GET /pets/1' },
  { send: 'GET /pets/42' },
  // Changes
  { send: 'PATCH /pets/1', type: merge, body: { name: 'Rexi' }, headers: { 'If-Match': '"old"' } },
  { send: 'PATCH /pets/1', type: merge, body: { name: 'Rexi' }, headers: { 'If-Match': 'old' } },
  { send: 'PATCH /pets/42', type: merge, body: { name: 'Rexi' }, headers: { 'If-Match': '*' } },
  { send: 'PATCH /pets/1', type: merge, body: {}, headers: { 'If-Match': '*' } },
  { send: 'PATCH /pets/1', type: merge, body: { name: 'Rexi' }, match: { header: 'If-Match', of: 'GET /pets/1' } },
  { send: 'PATCH /pets/1', type: merge, body: { name: 'Max' }, match: { header: 'If-Match', of: 'GET /pets/1' } },
  { send: 'PATCH /pets/3', type: merge, body: { status: null, categoryId: 9 }, headers: { 'If-Match': '*' } },
  { send: 'GET /pets?id=3' },
  { send: 'PATCH /pets/3', type: merge, body: { name: 'Ben' }, match: { header: 'If-Match', of: 'GET /pets?id=3' } },
  // Orders
  { send: 'POST /store/orders', body: { petId: 42 } },
  { send: 'POST /store/orders', body: { petId: 2 } },
  { send: 'POST /store/orders', body: { petId: 0 } },
  { send: 'POST /store/orders', body: { petId: 1 }, ...key('c') },
  { send: 'POST /store/orders', body: { petId: 1 } },
  { send: 'GET /pets/1' },
  { send: 'PATCH /pets/1', type: merge, body: { status: 'sold' }, headers: { 'If-Match': '*' } },
  { send: 'PATCH /pets/1', type: merge, body: { name: 'Max' }, headers: { 'If-Match': '*' } },
  { send: 'DELETE /pets/1' },
  { send: 'GET /store/orders?status=placed' },
  { send: 'GET /store/orders?status=cancelled' },
  { send: 'GET /store/orders/1' },
  { send: 'GET /store/orders/42' },
  { send: 'POST /store/orders/1/complete' },
  { send: 'POST /store/orders/1/complete' },
  { send: 'POST /store/orders/1/cancel' },
  { send: 'POST /store/orders/42/cancel' },
  { send: 'GET /pets?status=sold' },
  // Deletions
  { send: 'DELETE /pets/2', headers: { 'If-Match': '"old"' } },
  { send: 'DELETE /pets/2', ...key('d') },
  { send: 'DELETE /pets/2', ...key('e') },
  { send: 'GET /pets/2' },
  { send: 'POST /pets', body: rex },
];

/** What the mocks leave to the contract's examples: the quota, and the stability of operations. */
const unmocked = /^(X-RateLimit-.*|X-Stability|Deprecation|Sunset)$/;

type RecordedResponse = { status: number; headers: Record<string, string>; body: unknown; etag: string; next: string };

/** The responses to all calls, without the parts that must differ: secrets, wording, the quota and the origin. */
async function run(
  origin: string,
  apiKey: string,
): Promise<[send: string, Pick<RecordedResponse, 'status' | 'headers' | 'body'>][]> {
  const responses = new Map<string, RecordedResponse>();
  const transcript = [];
  for (const call of calls) {
    const response = await send(origin, apiKey, call, responses);
    responses.set(call.send, response);
    const { status, headers, body } = response;
    transcript.push([call.send, { status, headers, body }] as const);
  }
  return transcript.map(([text, response]) => [text, response]);
}

async function send(
  origin: string,
  apiKey: string,
  call: Call,
  earlier: Map<string, RecordedResponse>,
): Promise<RecordedResponse> {
  const { body, match, nextOf, type = 'application/json', headers = {} } = call;
  const [method = '', path = ''] = call.send.split(' ');
  const url = nextOf === undefined ? `${origin}/v1${path}` : (earlier.get(nextOf)?.next ?? '');
  const response = await fetch(url, {
    method: nextOf === undefined ? method : 'GET',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'X-Request-Id': 'test',
      ...(body === undefined ? {} : { 'Content-Type': type }),
      ...(match === undefined ? {} : { [match.header]: earlier.get(match.of)?.etag ?? '' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const link = response.headers.get('Link') ?? '';
  const common = responseHeaders.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null || unmocked.test(name) || (name === 'Link' && !value.includes('next'))
      ? []
      : [[name, comparable(name, value, origin)]];
  });
  return {
    status: response.status,
    headers: Object.fromEntries(common),
    body: text === '' ? undefined : comparableBody(JSON.parse(text)),
    etag: response.headers.get('ETag') ?? '',
    next: /<([^>]+)>; rel="next"/.exec(link)?.[1] ?? '',
  };
}

/** Headers whose values differ: ETags, cursors and challenges. */
function comparable(name: string, value: string, origin: string): string {
  if (name === 'ETag') return 'an ETag';
  if (name === 'WWW-Authenticate') return 'a challenge';
  return name === 'Link'
    ? value.replaceAll(/<[^>]*pets\?[^>]*>/g, '<a page>').replaceAll(origin, '')
    : value.replace(origin, '');
}

/** The messages of errors may differ, but not what they say about parts of the request. */
function comparableBody(body: unknown): unknown {
  const { code, status, details, id }: Record<string, unknown> = Object(body);
  if (typeof id === 'string') return { ...Object(body), id: 'a key', plan: 'a plan' };
  if (code === undefined) return body;
  const found = [details]
    .flat()
    .flatMap((detail) => (detail === undefined ? [] : [`${Object(detail).where} ${Object(detail).what}`]));
  return { code, status, details: found.toSorted() };
}

beforeAll(() => {
  // The server's clock in tests.
  jest.spyOn(Date, 'now').mockReturnValue(NOON);
});
afterAll(() => void jest.restoreAllMocks());

test('the mocks respond to every call as the server does: statuses, headers and bodies', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const real = await run(server.url, server.key);
  mswServer.listen({ onUnhandledRequest: 'error' });
  const mocked = await run(mockUrl, 'as_test_any');
  mswServer.close();
  expect(mocked).toEqual(real);
  // Proves that the list covers every operation and status that it should.
  const statuses = new Set(real.map(([, { status }]) => status));
  expect([...statuses].toSorted()).toEqual([200, 201, 204, 400, 404, 409, 412]);
});
