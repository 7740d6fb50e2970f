import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseResponses, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
});
afterAll(() => server.stop());

/** The verdict on a request line with these headers, a key, and a Host unless the headers contain one. */
async function answerTo(line: string, ...headers: string[]): Promise<string[]> {
  const hosts = headers.some((header) => /^host:/i.test(header)) ? [] : ['Host: a'];
  const all = [line, ...hosts, `Authorization: Bearer ${server.key}`, 'Connection: close', ...headers, '', ''];
  return answers(all.join('\r\n'));
}

async function answers(bytes: string | Uint8Array): Promise<string[]> {
  return verdicts(parseResponses(await sendBytes(server.url, bytes)));
}

const malformed = ['400 malformed_http'];

describe('the request line', () => {
  test.each([
    ['HTTP/2.0', 'GET /v1/pets HTTP/2.0'],
    ['HTTP/0.9 with headers', 'GET /v1/pets'],
    ['HTTP/1.2', 'GET /v1/pets HTTP/1.2'],
    ['HTTP/9.9', 'GET /v1/pets HTTP/9.9'],
    ['another protocol', 'GET /v1/pets SIP/1.1'],
    ['a protocol in lower case', 'GET /v1/pets http/1.1'],
    ['a method in lower case', 'get /v1/pets HTTP/1.1'],
    ['an unknown method', 'FOO /v1/pets HTTP/1.1'],
    ['no method', '/v1/pets HTTP/1.1'],
    ['a space before it', ' GET /v1/pets HTTP/1.1'],
    ['a space in the path', 'GET /v1/pets x HTTP/1.1'],
    ['tabs instead of spaces', 'GET\t/v1/pets\tHTTP/1.1'],
    ['a path without a slash', 'GET v1/pets HTTP/1.1'],
    ['backslashes', 'GET \\v1\\pets HTTP/1.1'],
    ['an authority instead of a path', 'GET a:80 HTTP/1.1'],
    ['another scheme', 'GET ftp://a/healthz HTTP/1.1'],
    ['absolute form without a host', 'GET http:///healthz HTTP/1.1'],
    ['absolute form with a user', 'GET http://user:word@a/v1/pets HTTP/1.1'],
    ['a fragment', 'GET /v1/pets#x HTTP/1.1'],
    ['a fragment after a page', 'GET /healthz#x HTTP/1.1'],
    ['NUL in the path', 'GET /v1/pets\0 HTTP/1.1'],
    ['non-ASCII letters in the path', 'GET /v1/pets/\u00e9 HTTP/1.1'],
    ['a no-break space after a page', 'GET /docs\u00a0 HTTP/1.1'],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0'],
  ])('%s: 400', async (_, line) => {
    expect(await answerTo(line)).toEqual(malformed);
  });

  test.each([
    ['GET http://b/v1/pets HTTP/1.1', '200'],
    ['GET HTTP://b:80/v1/pets?limit=1 HTTP/1.1', '200'],
    ['GET http://b?limit=1 HTTP/1.1', '302'],
    ['GET * HTTP/1.1', '404 route_not_found'],
    ['OPTIONS * HTTP/1.1', '404 route_not_found'],
    ['TRACE /v1/pets HTTP/1.1', '405 method_not_allowed'],
    ['QUERY /v1/pets HTTP/1.1', '405 method_not_allowed'],
    ['CONNECT a:80 HTTP/1.1', '405 method_not_allowed'],
    ['CONNECT /v1/pets HTTP/1.1', '405 method_not_allowed'],
    ['GET /v1/pets HTTP/1.0', '200'],
    ['\r\n\r\nGET /v1/pets HTTP/1.1', '200'],
  ])('%j: %s', async (line, answer) => {
    expect(await answerTo(line)).toEqual([answer]);
  });

  test('an HTTP/0.9 request times out, because its headers never end: 408', async () => {
    await using impatient = await startTestServer({ timeouts: { headers: 100, request: 200 } });
    const response = await sendBytes(impatient.url, 'GET /v1/pets\r\n');
    expect(verdicts(parseResponses(response))).toEqual(['408 request_timeout']);
  });

  test('TLS: 400', async () => {
    expect(await answers(Buffer.from('16030100a5010000a10303', 'hex'))).toEqual(malformed);
  });
});

describe('Host', () => {
  test.each([
    ['two of them', ['Host: a', 'Host: b']],
    ['two equal ones', ['Host: a', 'host: a']],
    ['a host with a path', ['Host: a/b']],
    ['a user', ['Host: u@a']],
    ['two words', ['Host: a b']],
    ['nothing', ['Host:']],
    ['an invalid port', ['Host: a:port']],
  ])('%s: 400', async (_, headers) => {
    expect(await answerTo('GET /v1/pets HTTP/1.1', ...headers)).toEqual(malformed);
    expect(await answerTo('GET /healthz HTTP/1.1', ...headers)).toEqual(malformed);
  });

  test.each(['a', 'a.example:8080', '127.0.0.1', '[::1]:3000'])('%s: 200', async (host) => {
    expect(await answerTo('GET /v1/pets HTTP/1.1', `Host: ${host}`)).toEqual(['200']);
  });

  test('the host of an absolute URL takes precedence over Host', async () => {
    await server.call('createPet', { body: { name: 'Mia', categoryId: 3 } });
    const [response] = parseResponses(
      await sendBytes(
        server.url,
        `GET http://right.example/v1/pets?limit=1 HTTP/1.1\r\nHost: wrong.example\r\nAuthorization: Bearer ${server.key}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(response?.headers.get('link')).toContain('<http://right.example/v1/pets?');
  });
});

describe('HTTP/1.0', () => {
  const animal = '{"name":"x","categoryId":1}';
  const create = (...headers: string[]) =>
    [
      'POST /v1/pets HTTP/1.0',
      `Authorization: Bearer ${server.key}`,
      'Content-Type: application/json',
      ...headers,
      '',
      '',
    ].join('\r\n');

  test('needs no Host, and gets one response', async () => {
    expect(await answers(`${create(`Content-Length: ${animal.length}`)}${animal}`)).toEqual(['201']);
  });

  test('has no Transfer-Encoding: 400', async () => {
    expect(await answers(`${create('Transfer-Encoding: chunked')}1b\r\n${animal}\r\n0\r\n\r\n`)).toEqual(malformed);
  });

  test('is never sent 100 Continue', async () => {
    const bytes = `${create('Expect: 100-continue', `Content-Length: ${animal.length}`)}${animal}`;
    expect(await sendBytes(server.url, bytes)).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe('Expect', () => {
  const create = (expectation: string) =>
    [
      'POST /v1/pets HTTP/1.1',
      'Host: a',
      'Connection: close',
      'Content-Type: application/json',
      `Authorization: Bearer ${server.key}`,
      `Expect: ${expectation}`,
      'Content-Length: 27',
      '',
      '{"name":"x","categoryId":1}',
    ].join('\r\n');

  test.each([
    ['100-continue', true],
    ['100-Continue', true],
    ['x, 100-continue', true],
    ['200-ok', false],
    ['x100-continuex', false],
    ['', false],
  ])('%j is sent 100 Continue: %s', async (expectation, continued) => {
    const response = await sendBytes(server.url, create(expectation));
    expect(response.startsWith('HTTP/1.1 100 Continue\r\n\r\n')).toBe(continued);
    expect(verdicts(parseResponses(response))).toEqual(['201']);
  });
});
