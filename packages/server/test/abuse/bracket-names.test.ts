import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../harness.ts';
import { callPerOperation } from './requests.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const names = [
  '[',
  '[]',
  '[a]',
  '[status]',
  '[[]]',
  '[0]',
  'a[',
  'a[]',
  'a[b]',
  'a[b][c]',
  ']',
  ']a',
  'a]',
  '[]a',
  '[a',
];
const queries = names.flatMap((name) => [`${name}=1`, name, `${encodeURIComponent(name)}=1`, `${name}=1&${name}=2`]);

test.each(callPerOperation())('$id refuses unknown parameters with brackets in their names', async ({ url, init }) => {
  const accepted: string[] = [];
  for (const query of queries) {
    const response = await fetch(`${server.url}${url}?${query}`, init(server.key));
    const { details = [] } = await response.json();
    const isNamed = JSON.stringify(details).includes('"what":"is unknown"');
    if (response.status !== 400 || !isNamed) accepted.push(`${query}: ${response.status} ${JSON.stringify(details)}`);
  }
  expect(accepted).toEqual([]);
});

test('each of them is named', async () => {
  const response = await server.call('listPets', { query: 'limit=1&[status]=sold&id[]=1' });
  expect(response.status).toBe(400);
  expect(response.body.details).toEqual([
    { where: 'query/[status]', what: 'is unknown' },
    { where: 'query/id[]', what: 'is unknown' },
  ]);
});
