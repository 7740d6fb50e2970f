import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseResponses, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function expectDeprecated(headers: Headers): void {
  expect(headers.get('deprecation')).toBe(`@${Date.parse('2026-11-20T00:00:00Z') / 1000}`);
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')).toContain(`<${server.url}/v1/pets>; rel="successor-version"`);
  expect(headers.get('link')).toContain(`<${server.url}/docs/guides/deprecations.html#getpet>; rel="deprecation"`);
}

describe('200', () => {
  test('returns the animal, with the dates and the successor of the deprecated operation', async () => {
    const created = await server.call('createPet', { body: { name: 'Rex', categoryId: 3, status: 'pending' } });
    const response = await server.call('getPet', { path: { petId: created.body.id } });
    expect(response.status).toBe(200);
    expect(response.body).toEqual(created.body);
    expectDeprecated(response.headers);
  });
});

describe('400', () => {
  test.each(['abc', '1.0', '1e0', '0x1', '01', '+1', '%201', '1%20', '-0', '9007199254740993', '1e999', 'NaN'])(
    'petId %s is not an exact integer in plain digits',
    async (petId) => {
      const response = await server.call('getPet', { path: { petId } });
      expect(response.status).toBe(400);
      expect(response.body.details).toEqual([expect.objectContaining({ where: 'path/petId' })]);
      expectDeprecated(response.headers);
    },
  );

  test('a percent sign that cannot be decoded is refused', async () => {
    const response = await server.call('getPet', { path: { petId: '%E0%A4%A' } });
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('malformed_http');
  });
});

describe('404', () => {
  test.each([0, -1, 999_999, '9007199254740991', '-9007199254740991'])('no animal has the ID %s', async (petId) => {
    const response = await server.call('getPet', { path: { petId } });
    expect(response.status).toBe(404);
    expect(response.body).toEqual({
      code: 'pet_not_found',
      message: `No animal has the ID ${petId}.`,
      status: 404,
      documentation: `${server.url}/docs/errors.html#pet_not_found`,
    });
    expectDeprecated(response.headers);
  });
});

describe('410', () => {
  test('after the sunset, the operation is gone, and the response names its successor; nothing else changes', async () => {
    const { body } = await server.call('createPet', { body: { name: 'Mia', categoryId: 1 } });
    const path = { petId: body.id };
    const today = server.clock.now;
    server.clock.now = Date.parse('2030-12-04T23:59:59.999Z');
    expect((await server.call('getPet', { path })).status).toBe(200);
    server.clock.now = Date.parse('2030-12-05T00:00:00Z');
    const response = await server.call('getPet', { path });
    expect(response.status).toBe(410);
    expect(response.body.code).toBe('operation_removed');
    expect(response.body.message).toContain('listPets');
    expectDeprecated(response.headers);
    expect((await server.call('listPets')).status).toBe(200);
    expect((await server.call('getPet', { path, key: null })).status).toBe(401);
    server.clock.now = today;
  });

  test('after the sunset, a body that the operation did not support makes no difference, and is not awaited', async () => {
    const today = server.clock.now;
    server.clock.now = Date.parse('2030-12-05T00:00:00Z');
    const headers = ['Host: a', `Authorization: Bearer ${server.key}`, 'Connection: close'];
    for (const body of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n']) {
      const received = await sendBytes(server.url, ['GET /v1/pets/1 HTTP/1.1', ...headers, body].join('\r\n'));
      expect(received).not.toContain('100 Continue');
      expect(verdicts(parseResponses(received))).toEqual(['410 operation_removed']);
    }
    server.clock.now = today;
  });
});

describeCommonResponses('getPet', { path: { petId: 1 } });
