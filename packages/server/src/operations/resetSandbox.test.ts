import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { type CallParts, startTestServer, type TestServer } from '../../test/harness.ts';
import { seeds } from './seeds.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { sandboxes: true } });
});
afterAll(() => server.stop());

const valid = {};

describe('204', () => {
  test('the samples are back, also after a second reset, and no other key notices', async () => {
    const [key, other] = [await server.createKey(), await server.createKey()];
    const count = async (one: string) => (await server.call('listPets', { key: one })).body.length;
    for (const one of [key, other]) await server.call('createPet', { key: one, body: { name: 'Nala', categoryId: 1 } });
    expect([await count(key), await count(other)]).toEqual([seeds.length + 1, seeds.length + 1]);
    for (const _ of [1, 2]) expect((await server.call('resetSandbox', { key })).status).toBe(204);
    expect([await count(key), await count(other)]).toEqual([seeds.length, seeds.length + 1]);
  });
});

describe('400', () => {
  const wrong: [where: string, request: CallParts][] = [['query/unknown', { ...valid, query: { unknown: 'wrong' } }]];

  test.each(wrong)('an invalid %s is rejected and named in the details', async (where, request) => {
    const response = await server.call('resetSandbox', request);
    expect(response.status).toBe(400);
    expect(response.body.details.map((detail: { where: string }) => detail.where)).toContain(where);
  });
});

describe('404', () => {
  test('on a server without sandboxes, whose animals stay', async () => {
    await using plain = await startTestServer();
    await plain.call('createPet', { body: { name: 'Nala', categoryId: 1 } });
    const response = await plain.call('resetSandbox', valid);
    expect([response.status, response.body.code]).toEqual([404, 'sandbox_not_found']);
    expect((await plain.call('listPets')).body).toHaveLength(1);
  });
});

describeCommonResponses('resetSandbox', valid);
