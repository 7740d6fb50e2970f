import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../../service/src/storage/storage.ts';
import { parseResponse } from '../../../testing/src/service/raw-response.ts';
import { sendBytes } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

/** A limiter that cannot count, such as one whose storage does not answer. */
const unavailable = () => Promise.reject(new StorageUnavailableError(new Error('no answer')));
const limiter = { countKey: unavailable, countAddress: unavailable, flush: async () => {} };

describe('while requests cannot be counted', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ limiter: { limiter, counted: undefined, close: () => {} } });
  });
  afterAll(() => server.stop());

  test.each([true, false])('a request gets the documented 503 (with a key: %s)', async (hasKey) => {
    const headers = hasKey ? { authorization: `Bearer ${server.key}` } : undefined;
    const response = await fetch(`${server.url}/v1/pets`, { ...(headers === undefined ? {} : { headers }) });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(response.headers.has('x-request-id')).toBe(true);
    expect(await response.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
  });

  test.each(['garbage\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
    'the server refuses a request that Node rejects, and the process continues: %j',
    async (bytes) => {
      const { status, text } = parseResponse(await sendBytes(server.url, bytes));
      expect([status, JSON.parse(text).status]).toEqual([status, status]);
      expect([400, 405]).toContain(status);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    },
  );
});
