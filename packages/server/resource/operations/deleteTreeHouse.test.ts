import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function add(on = server): Promise<{ path: { treeHouseId: number } }> {
  const { body } = await on.call('createTreeHouse', { body: { name: 'First' } });
  return { path: { treeHouseId: body.id } };
}

describe('204', () => {
  test('the tree house can no longer be read, and its ID is not used again', async () => {
    const { path } = await add();
    expect((await server.call('deleteTreeHouse', { path })).status).toBe(204);
    expect((await server.call('getTreeHouse', { path })).status).toBe(404);
    expect((await add()).path.treeHouseId).toBeGreaterThan(path.treeHouseId);
  });
});

describe('400', () => {
  test.each(['x', '01', '1e0'])('treeHouseId %s is not an exact integer in plain digits', async (treeHouseId) => {
    const response = await server.call('deleteTreeHouse', { path: { treeHouseId } });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('404', () => {
  test('no tree house has the ID', async () => {
    const response = await server.call('deleteTreeHouse', { path: { treeHouseId: 999_999 } });
    expect([response.status, response.body.code]).toEqual([404, 'tree_house_not_found']);
  });
});

describe('412', () => {
  test('a tree house that has changed since If-Match was read is not deleted', async () => {
    const { path } = await add();
    const response = await server.call('deleteTreeHouse', { path, headers: { 'if-match': '"other"' } });
    expect([response.status, response.body.code]).toEqual([412, 'precondition_failed']);
    expect((await server.call('getTreeHouse', { path })).status).toBe(200);
  });
});

describeCommonResponses('deleteTreeHouse', { path: { treeHouseId: 1 } }, async (on) => ({
  first: await add(on),
  other: await add(on),
}));
