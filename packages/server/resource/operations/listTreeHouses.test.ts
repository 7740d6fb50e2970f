import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function add(name: string): Promise<{ id: number }> {
  return (await server.call('createTreeHouse', { body: { name } })).body;
}

describe('200', () => {
  test('following Link rel=next visits every tree house once', async () => {
    const added = [await add('First'), await add('Second'), await add('Third')];
    const seen: { id: number }[] = [];
    let query: string | undefined = 'limit=2';
    while (query !== undefined && seen.length < 10) {
      const { body, headers } = await server.call('listTreeHouses', { query });
      seen.push(...body);
      query = /\?([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(added);
  });
});

describe('304', () => {
  test('a caller with the current ETag gets the page again only after it has changed', async () => {
    const etag = (await server.call('listTreeHouses')).headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    expect((await server.call('listTreeHouses', { headers })).status).toBe(304);
    await add('Fourth');
    expect((await server.call('listTreeHouses', { headers })).status).toBe(200);
  });
});

describe('400', () => {
  test.each(['limit=0', 'limit=101', 'cursor=x', 'unknown=1'])('%s is refused', async (query) => {
    const response = await server.call('listTreeHouses', { query });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  });
});

describeCommonResponses('listTreeHouses', {});
