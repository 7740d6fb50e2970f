import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function add(on = server): Promise<{ path: { treeHouseId: number }; etag: string }> {
  const { body, headers } = await on.call('createTreeHouse', { body: { name: 'First' } });
  return { path: { treeHouseId: body.id }, etag: headers.get('etag') ?? '' };
}

const changes = { body: { name: 'Second' }, headers: { 'if-match': '*' } };

describe('200', () => {
  test('changes the properties that are sent', async () => {
    const { path, etag } = await add();
    const response = await server.call('updateTreeHouse', { ...changes, path, headers: { 'if-match': etag } });
    expect([response.status, response.body]).toEqual([200, { id: path.treeHouseId, name: 'Second' }]);
    expect((await server.call('getTreeHouse', { path })).body).toEqual(response.body);
  });
});

describe('400', () => {
  test.each([{}, { name: '' }, { name: null }, { id: 1 }])('%j is refused', async (body) => {
    const response = await server.call('updateTreeHouse', { ...changes, path: { treeHouseId: 1 }, body });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('404', () => {
  test('no tree house has the ID', async () => {
    const response = await server.call('updateTreeHouse', { ...changes, path: { treeHouseId: 999_999 } });
    expect([response.status, response.body.code]).toEqual([404, 'tree_house_not_found']);
  });
});

describe('412', () => {
  test('of many simultaneous changes of one version, exactly one succeeds', async () => {
    const { path, etag } = await add();
    const change = () => server.call('updateTreeHouse', { ...changes, path, headers: { 'if-match': etag } });
    const statuses = (await Promise.all(Array.from({ length: 10 }, change))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(412)]);
  });
});

describe('428', () => {
  test('a change without If-Match is refused', async () => {
    const { path } = await add();
    expect((await server.call('updateTreeHouse', { path, body: changes.body })).status).toBe(428);
  });
});

describeCommonResponses('updateTreeHouse', { ...changes, path: { treeHouseId: 1 } }, async (on) => ({
  first: { ...changes, path: (await add(on)).path },
  other: { ...changes, path: (await add(on)).path },
}));
