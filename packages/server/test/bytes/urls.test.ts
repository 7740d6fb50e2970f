import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseResponses, sendBytes } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
});
afterAll(() => server.stop());

/** The response to a GET of exactly this URL, which fetch would normalise. */
async function answerTo(address: string) {
  const bytes = `GET ${address} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\nConnection: close\r\n\r\n`;
  const [response] = parseResponses(await sendBytes(server.url, bytes));
  if (response === undefined) throw new Error(`${address} was not answered.`);
  const { code, details = [] } = JSON.parse(response.text || '{}');
  return { status: response.status, code, wheres: details.map((detail: { where: string }) => detail.where) };
}

describe('a path', () => {
  test.each([
    ['a truncated escape', '/v1/pets/%'],
    ['an invalid escape', '/v1/pets/%z1'],
    ['a byte that is not UTF-8', '/v1/pets/%ff'],
    ['an overlong encoding of a slash', '/v1/pets/%c0%af1'],
    ['an overlong encoding of NUL', '/v1/pets/%c0%80'],
    ['an overlong encoding of a digit', '/v1/pets/%c0%b1'],
    ['half a surrogate pair', '/v1/pets/%ed%a0%80'],
    ['a code point beyond Unicode', '/v1/pets/%f4%90%80%80'],
    ['a byte that is not UTF-8 below a page', '/docs/%ff'],
    ['a truncated escape further below a page', '/docs/%/openapi.yaml'],
    ['a truncated character in an unknown path', '/nothing/%e2%82'],
  ])('with %s is 400 malformed_http: %s', async (_, path) => {
    expect(await answerTo(path)).toMatchObject({ status: 400, code: 'malformed_http' });
  });

  test('an ID is decoded once', async () => {
    expect(await answerTo('/v1/pets/%31')).toMatchObject({ status: 200 });
  });

  test.each([
    '/v1/pets/',
    '/v1//pets',
    '//v1/pets',
    '/./v1/pets',
    '/v1/../v1/pets',
    '/v1/%2e%2e/v1/pets',
    '/v1%2fpets',
    '/v1/%70ets',
    '/v1/pets%00',
    '/v1/pets;limit=1',
    '/v1/PETS',
    '/v1',
    '/docs/..%2fetc',
    '/docs/%2e%2e',
    '/health%7a',
    '/v1/../healthz',
    '/__proto__',
  ])('has no alias: %s is 404', async (path) => {
    expect(await answerTo(path)).toMatchObject({ status: 404, code: 'route_not_found' });
  });
});

describe('a query', () => {
  test.each([
    ['NUL', 'limit=5%00', 'limit'],
    ['an invalid escape', 'limit=%zz', 'limit'],
    ['a truncated escape', 'limit=5%', 'limit'],
    ['a plus, which means a space', 'limit=+5', 'limit'],
    ['a second value', 'limit=5&limit=5', 'limit'],
    ['a second value under an escaped name', 'limit=5&li%6Dit=6', 'limit'],
    ['another separator', 'limit=5;status=sold', 'limit'],
    ['a byte that is not UTF-8', 'status=%ff', 'status'],
    ['a letter that looks like another', 'status=s%D0%BEld', 'status'],
    ['a cursor of NUL', 'cursor=%00', 'cursor'],
    ['a cursor in an overlong encoding', 'cursor=%c0%80', 'cursor'],
    ['a cursor that is too long', `cursor=${'a'.repeat(129)}`, 'cursor'],
    ['a name without a value', 'limit', 'limit'],
  ])('with %s is 400: ?%s', async (_, query, name) => {
    expect(await answerTo(`/v1/pets?${query}`)).toMatchObject({ status: 400, wheres: [`query/${name}`] });
  });

  test.each(['limit=101', 'zz=1'])('is checked to its end: ?%s after a thousand others is 400', async (last) => {
    for (const filler of ['&'.repeat(1_500), 'status=sold&'.repeat(1_000)]) {
      expect((await answerTo(`/v1/pets?${filler}${last}`)).status).toBe(400);
    }
  });

  test.each(['', '&', '&&&', 'li%6Dit=1', '&limit=1&', '%6cimit=%31'])('?%s is accepted', async (query) => {
    expect((await answerTo(`/v1/pets?${query}`)).status).toBe(200);
  });
});

describe('a URL and headers that are too large', () => {
  test.each([
    ['a path', `/v1/${'x'.repeat(20_000)}`],
    ['a query', `/v1/pets?x=${'x'.repeat(20_000)}`],
  ])('%s of 20,000 bytes is 431', async (_, address) => {
    expect(await answerTo(address)).toMatchObject({ status: 431, code: 'headers_too_large' });
  });

  test('no header is dropped because there are many', async () => {
    const many = 'a:\r\n'.repeat(2_100);
    const bytes = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${many}Authorization: Bearer ${server.key}\r\n\r\n`;
    const [response] = parseResponses(await sendBytes(server.url, bytes));
    expect(response?.status).toBe(200);
  });
});
