import { basePath } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const [first, other] = [{ body: { name: 'First' } }, { body: { name: 'Second' } }];

describe('201', () => {
  test('returns the tree house with its ID, and Location is its URL', async () => {
    const { status, headers, body } = await server.call('createTreeHouse', first);
    expect([status, body]).toEqual([201, { id: expect.any(Number), ...first.body }]);
    expect(headers.get('location')).toBe(`${server.url}${basePath}/tree-houses/${body.id}`);
    expect((await server.call('getTreeHouse', { path: { treeHouseId: body.id } })).body).toEqual(body);
  });
});

describe('400', () => {
  test.each([{}, { name: '' }, { name: 7 }, { name: 'First', id: 1 }])('%j is refused', async (body) => {
    const response = await server.call('createTreeHouse', { body });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  });
});

describeCommonResponses('createTreeHouse', first, async () => ({ first, other }));
