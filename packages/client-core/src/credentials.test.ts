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
    oauth: { place: 'header', name: 'Authorization', prefix: 'Bearer ' },
    office: { place: 'basic', name: 'Authorization', prefix: 'Basic ' },
    partner: { place: 'header', name: 'X-Api-Key', prefix: '' },
    session: { place: 'header', name: 'Cookie', prefix: 'sid=' },
    link: { place: 'query', name: 'signature', prefix: '' },
  },
  operations: {
    getBerth: get('/berths/{berthId}', { oauth: [] }),
    getFree: get('/berths/free', { partner: [] }),
    getOffice: get('/office', { office: [] }),
    getSession: get('/session', { session: [] }),
    getLink: get('/link', { link: [] }),
    getEither: get('/either', { partner: [] }, { oauth: [] }),
    getBoth: get('/both', { office: [], partner: [] }),
    getOpen: get('/open'),
    getDevice: get('/device', { device: [] }),
  },
} as const;
type Paths = Record<string, { get: { responses: { 200: { content: { 'application/json': unknown } } } } }>;

/** Sends a GET, and returns the URL and the headers about credentials of each attempt. */
async function sent(
  path: string,
  apiKey: CredentialOptions<typeof facts>['apiKey'],
  statuses = [200],
): Promise<string[]> {
  const requests: string[] = [];
  const fetch = async ({ url, headers, credentials }: Request) => {
    const values = ['authorization', 'x-api-key', 'cookie'].flatMap((name) => headers.get(name) ?? []);
    requests.push([url.replace('https://marina.example/v1', ''), ...values, credentials].join(' '));
    return Response.json({}, { status: statuses[requests.length - 1] ?? 200 });
  };
  const options = { baseUrl: 'https://marina.example/v1', fetch, ...(apiKey === undefined ? {} : { apiKey }) };
  await createClient<Paths>(...withCredentials(facts, options)).GET(path);
  return requests;
}

const all = {
  oauth: 'token',
  partner: 'key',
  session: 'cookie',
  link: 'a&b',
  office: { username: 'Änne', password: 'a:b' },
};
const basic = `Basic ${Buffer.from('Änne:a:b').toString('base64')}`;

test.each([
  ['/berths/7', '/berths/7 Bearer token include'],
  ['/berths/free', '/berths/free key include'],
  ['/office', `/office ${basic} include`],
  ['/session', '/session sid=cookie include'],
  ['/link', '/link?signature=a%26b include'],
  ['/either', '/either key include'],
  ['/both', `/both ${basic} key include`],
  ['/open', '/open include'],
  ['/device', '/device include'],
])('%s gets the credentials of its operation', async (path, expected) => {
  expect(await sent(path, all)).toEqual([expected]);
});

test('the first alternative counts whose credentials are given', async () => {
  expect(await sent('/either', { oauth: 'token' })).toEqual(['/either Bearer token include']);
  expect(await sent('/both', { partner: 'key' })).toEqual(['/both include']);
});

test('one credential is sent for each scheme', async () => {
  expect(await sent('/both', 'one')).toEqual(['/both Basic one one include']);
  expect(await sent('/session', undefined)).toEqual(['/session include']);
});

test('a function is called again after a 401', async () => {
  let calls = 0;
  const oauth = async () => `token-${++calls}`;
  expect(await sent('/berths/7', { oauth, session: 'x' }, [401, 200])).toEqual([
    '/berths/7 Bearer token-1 include',
    '/berths/7 Bearer token-2 include',
  ]);
});
