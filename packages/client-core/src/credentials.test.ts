import { expect, test } from '@jest/globals';
import { createClient } from './client.ts';
import { type CredentialOptions, withCredentials } from './credentials.ts';

const get = (path: string, ...security: Record<string, string[]>[]) => ({ method: 'GET', path, security });
const facts = {
  name: 'marina',
  version: '1',
  idempotentOperations: [],
  requestMediaTypes: {},
  credentials: {
    oauth: { name: 'Authorization', prefix: 'Bearer ' },
    partner: { name: 'X-Api-Key', prefix: '' },
  },
  operations: {
    getBerth: get('/berths/{berthId}', { oauth: [] }),
    getFree: get('/berths/free', { partner: [] }),
    getPerhaps: get('/perhaps', {}, { partner: [] }),
    getOpen: get('/open'),
  },
} as const;
type Paths = Record<
  string,
  {
    get: {
      parameters: { path: { berthId?: number } };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  }
>;

/** Sends a GET, and returns the URL and the headers about credentials of each attempt. */
async function sent(
  path: string,
  apiKey: CredentialOptions<typeof facts>['apiKey'],
  statuses = [200],
): Promise<string[]> {
  const requests: string[] = [];
  const fetch = async ({ url, headers }: Request) => {
    const values = ['authorization', 'x-api-key'].flatMap((name) => headers.get(name) ?? []);
    requests.push([new URL(url).pathname, ...values].join(' '));
    return Response.json({}, { status: statuses[requests.length - 1] ?? 200 });
  };
  const options = { baseUrl: 'https://marina.example', fetch, ...(apiKey === undefined ? {} : { apiKey }) };
  await createClient<Paths>(...withCredentials(facts, options)).GET(path, { params: { path: { berthId: 7 } } });
  return requests;
}

test.each([
  ['/berths/{berthId}', '/berths/7 Bearer token'],
  ['/berths/free', '/berths/free key'],
  ['/perhaps', '/perhaps key'],
  ['/open', '/open'],
])('%s gets the credentials of its operation', async (path, expected) => {
  expect(await sent(path, { oauth: 'token', partner: 'key' })).toEqual([expected]);
});

test('one key is sent for each scheme', async () => {
  expect(await sent('/berths/{berthId}', 'one')).toEqual(['/berths/7 Bearer one']);
  expect(await sent('/berths/free', 'one')).toEqual(['/berths/free one']);
  expect(await sent('/berths/free', { oauth: 'token' })).toEqual(['/berths/free']);
  expect(await sent('/berths/free', undefined)).toEqual(['/berths/free']);
});

test('a function is called again after a 401', async () => {
  let calls = 0;
  const oauth = async () => `token-${++calls}`;
  expect(await sent('/berths/{berthId}', { oauth, partner: 'x' }, [401, 200])).toEqual([
    '/berths/7 Bearer token-1',
    '/berths/7 Bearer token-2',
  ]);
});
