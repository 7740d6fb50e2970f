import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function add(): Promise<{ id: number }> {
  return (await server.call('createTreeHouse', { body: { name: 'First' } })).body;
}

describe('200', () => {
  test('returns the tree house', async () => {
    const added = await add();
    const response = await server.call('getTreeHouse', { path: { treeHouseId: added.id } });
    expect([response.status, response.body]).toEqual([200, added]);
  });
});

describe('304', () => {
  test('a caller with the current ETag does not get the tree house again', async () => {
    const path = { treeHouseId: (await add()).id };
    const headers = { 'if-none-match': (await server.call('getTreeHouse', { path })).headers.get('etag') ?? '' };
    expect((await server.call('getTreeHouse', { path, headers })).status).toBe(304);
  });
});

describe('400', () => {
  test.each(['x', '01', '1e0'])('treeHouseId %s is not an exact integer in plain digits', async (treeHouseId) => {
    const response = await server.call('getTreeHouse', { path: { treeHouseId } });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('404', () => {
  test('no tree house has the ID', async () => {
    const response = await server.call('getTreeHouse', { path: { treeHouseId: 999_999 } });
    expect([response.status, response.body.code]).toEqual([404, 'tree_house_not_found']);
  });
});

describeCommonResponses('getTreeHouse', { path: { treeHouseId: 1 } });
