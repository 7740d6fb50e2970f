import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseResponses, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { rawRequest } from './requests.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Sends an animal, padded with spaces, in chunks of one size. */
async function create(length: number, chunkSize: number) {
  const body = '{"name":"Rex","categoryId":1}'.padEnd(length);
  const pieces = Array.from({ length: length / chunkSize }, (_, index) =>
    body.slice(index * chunkSize).slice(0, chunkSize),
  );
  const chunks = [...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const headers = [`Authorization: Bearer ${server.key}`, 'Content-Type: application/json', 'Connection: close'];
  const request = rawRequest('POST /v1/pets', [...headers, 'Transfer-Encoding: chunked'], chunks.join(''));
  return parseResponses(await sendBytes(server.url, request));
}

test('a body in 60,000 chunks of one byte is refused, and the connection closes', async () => {
  const responses = await create(60_000, 1);
  expect(verdicts(responses)).toEqual(['400 invalid_request']);
  expect(responses[0]?.headers.get('connection')).toBe('close');
  expect(responses[0]?.text).toContain('send chunks of at least 16 bytes');
});

test.each([
  [4_000, 1],
  [65_536, 16],
])('a body of %i bytes in chunks of %i bytes is accepted', async (length, chunkSize) => {
  expect(verdicts(await create(length, chunkSize))).toEqual(['201']);
});
