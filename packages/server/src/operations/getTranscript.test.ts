import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeCommonResponses } from '../../test/common-responses.ts';
import { NOON, newIdempotencyKey, startTestServer, type TestServer } from '../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { sandboxes: true } });
});
afterAll(() => server.stop());

const transcript = (key: string) => server.call('getTranscript', { key });
const markdown = (key: string) => server.call('getTranscript', { key, headers: { accept: 'text/markdown' } });

describe('200', () => {
  test('has each request with its response, the operation, the time of the sandbox and the rule that refused it', async () => {
    const key = await server.createKey();
    expect((await transcript(key)).body).toEqual([]);
    await server.call('setSandboxClock', { key, body: { advanceSeconds: 3_600 } });
    const headers = { 'idempotency-key': newIdempotencyKey(), 'x-request-id': 'order-of-mia' };
    const refused = await server.call('createOrder', { key, body: { petId: 2 }, headers });
    await fetch(`${server.url}/v1/animals?colour=red`, { headers: { authorization: `Bearer ${key}` } });
    const { body } = await transcript(key);
    expect(body).toEqual([
      {
        requestId: 'order-of-mia',
        receivedAt: new Date(NOON + 3_600_000).toISOString(),
        milliseconds: expect.any(Number),
        operation: 'createOrder',
        code: 'pet_not_available',
        request: {
          method: 'POST',
          url: '/v1/store/orders',
          headers: expect.objectContaining(headers),
          body: '{"petId":2}',
        },
        response: {
          status: 409,
          headers: expect.objectContaining({ 'x-ratelimit-limit': '1000', 'x-request-id': 'order-of-mia' }),
          body: refused.text,
        },
      },
      expect.objectContaining({ code: 'route_not_found' }),
    ]);
    expect(body[1].request.url).toBe('/v1/animals?colour=red');
    expect(body[1]).not.toHaveProperty('operation');
  });

  test('has the last 100 requests, and a reset deletes them', async () => {
    const key = await server.createKey();
    for (let number = 1; number <= 103; number += 1) {
      await server.call('getPet', { key, path: { petId: 1 }, headers: { 'x-request-id': `request-${number}` } });
    }
    const ids = (await transcript(key)).body.map(({ requestId }: { requestId: string }) => requestId);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => `request-${index + 4}`));
    await server.call('resetSandbox', { key });
    expect((await transcript(key)).body).toEqual([]);
  });

  test('belongs to one key, and to the same one after a rotation', async () => {
    const [{ key, secret }, other] = [await server.keys.create({ plan: 'free' }), await server.createKey()];
    await server.call('listPets', { key: secret });
    const rotated = await server.keys.rotate(key.id, 60_000);
    expect((await transcript(rotated.secret)).body).toHaveLength(1);
    expect((await transcript(other)).body).toEqual([]);
  });

  test('contains no secret, wherever the caller has put one', async () => {
    const key = await server.createKey();
    const cookie = 'session=hunter2';
    const headers = { 'x-trace': key, [key]: 'name', cookie, 'proxy-authorization': 'Basic aHVudGVyMg==' };
    await server.call('createPet', { key, headers, body: { name: key, categoryId: 1 } });
    await server.call('listPets', { key, headers, query: { cursor: key } });
    const encoded = [...key].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    await fetch(`${server.url}/v1/pets?cursor=${encoded}`, { headers: { authorization: `Bearer ${key}` } });
    for (const { text } of [await transcript(key), await markdown(key)]) {
      expect(text).toContain('createPet');
      for (const shown of [text, decodeURIComponent(text)])
        expect(shown.toLowerCase()).not.toContain(key.slice(-12).toLowerCase());
      expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
      expect(text).not.toMatch(/authorization/i);
    }
  });

  test('as Markdown, has the text of callers in code only, so that a page that shows it runs no HTML', async () => {
    const key = await server.createKey();
    expect((await markdown(key)).text).toContain('There are none.');
    const name = '```</code><script>alert(1)</script>';
    await server.call('createPet', { key, body: { name, categoryId: 1 } });
    await fetch(`${server.url}/v1/pets?name=\`<img%20src=x>`, { headers: { authorization: `Bearer ${key}` } });
    const { text, headers } = await markdown(key);
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text).toContain('201 after ');
    expect(text).toContain('400 `invalid_request` after ');
    // What is left after the code blocks and spans, with their fences of any length, has no text of the caller.
    const outside = text.replaceAll(/^(`{3,})http\n.*?\n\1$/gms, '').replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
    expect(text).toContain('<script>');
    expect(outside).not.toMatch(/[<`]|script|img/);
  });

  test('is not changed by an expired key or a ban in the sandbox, and has the refusals', async () => {
    const { secret } = await server.keys.create({ plan: 'free', expiresIn: 60_000 });
    await server.call('setSandboxClock', { key: secret, body: { advanceSeconds: 60 } });
    expect((await server.call('listPets', { key: secret })).status).toBe(401);
    expect((await transcript(secret)).body).toMatchObject([{ code: 'api_key_invalid', response: { status: 401 } }]);
  });
});

test('a query parameter is refused, and named', async () => {
  const response = await server.call('getTranscript', { query: 'key=other' });
  expect([response.status, response.body.details[0].where]).toEqual([400, 'query/key']);
});

describe('404', () => {
  test.each(['live', 'test'] as const)('a %s server without sandboxes records nothing', async (mode) => {
    await using plain = await startTestServer({ config: { mode } });
    const response = await plain.call('getTranscript');
    expect([response.status, response.body.code]).toEqual([404, 'sandbox_not_found']);
  });
});

describe('406', () => {
  test('no response has the media type', async () => {
    const response = await server.call('getTranscript', { headers: { accept: 'text/html' } });
    expect([response.status, response.body.code]).toEqual([406, 'not_acceptable']);
  });
});

describeCommonResponses('getTranscript', {});
