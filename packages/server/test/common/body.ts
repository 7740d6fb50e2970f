import { limits, type OperationId, plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { expectRequestTimeout } from '../../../testing/src/service/common-responses.ts';
import { startImpatient } from '../common-responses.ts';
import { apiFacts, type CallParts, type TestServer } from '../harness.ts';

/** The responses to bodies that an operation cannot take: 400, 408, 413, 415, and 401 before all of them. */
export function describeBody(id: OperationId, valid: CallParts, server: () => TestServer): void {
  test.each([
    ['cut off', '{"name":"x","categoryId":1'],
    ['nested too deeply', '['.repeat(30_000)],
    ['not encoded as UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('400: a body %s is not JSON', async (_, body) => {
    const response = await server().call(id, { ...valid, body });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_json']);
  });

  test('400: a missing body is reported as such', async () => {
    const response = await server().call(id, { ...valid, body: undefined });
    expect(response.body.details).toEqual([{ where: 'body', what: 'is required' }]);
  });

  test('401: without a key the body is ignored, whether it is malformed, huge or of the wrong type', async () => {
    for (const call of [
      { body: '{' },
      { body: 'x'.repeat(300_000) },
      { body: 'x', headers: { 'content-type': 'text/plain' } },
    ]) {
      expect((await server().call(id, { ...valid, ...call, key: null })).status).toBe(401);
    }
  });

  test('408: a body that stops arriving', () => expectTimeout(id, valid));

  test.each([limits.bodyBytes + 1, 1_000_000])('413: a body of %i bytes is too large', async (bytes) => {
    const response = await server().call(id, { ...valid, body: 'x'.repeat(bytes) });
    expect([response.status, response.body.code]).toEqual([413, 'body_too_large']);
    expect(response.body.message).toContain(String(limits.bodyBytes));
  });

  test.each([{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }])(
    '415: %j is refused',
    async (headers) => {
      const response = await server().call(id, { ...valid, headers });
      expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
    },
  );
}

/** Sends a request whose body stops after a byte, to a separate server. */
async function expectTimeout(id: OperationId, valid: CallParts): Promise<void> {
  await using impatient = await startImpatient();
  const { headers } = await expectRequestTimeout(apiFacts, id, valid, impatient);
  expect(headers.get('x-ratelimit-limit')).toBe(String(plans.business.perMinute));
}
