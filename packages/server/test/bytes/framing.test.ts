import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Problem } from '../../../service/src/openapi/error-body.ts';
import { parseResponses, sendBytes, verdicts } from '../../../testing/src/service/wire.ts';
import { api } from '../../src/operations/api.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const animal = '{"name":"x","categoryId":1}';
const smuggled = '{"name":"smuggled","categoryId":1}';

/** A creation with these additional headers and this body, followed by another creation. */
function withFollower(headers: string[], body: string): string {
  const head = ['POST /v1/pets HTTP/1.1', ...callerHeaders(), ...headers, '', ''].join('\r\n');
  const follower = [
    'POST /v1/pets HTTP/1.1',
    ...callerHeaders(),
    'Connection: close',
    `Content-Length: ${smuggled.length}`,
    '',
    smuggled,
  ];
  return `${head}${body}${follower.join('\r\n')}`;
}

function callerHeaders(): string[] {
  return ['Host: a', `Authorization: Bearer ${server.key}`, 'Content-Type: application/json'];
}

async function answers(bytes: string): Promise<string[]> {
  return verdicts(parseResponses(await sendBytes(server.url, bytes)));
}

function chunked(body = animal, { extension = '', end = '\r\n', last = '0\r\n\r\n' } = {}): string {
  return `${body.length.toString(16)}${extension}\r\n${body}${end}${last}`;
}

const te = 'Transfer-Encoding: chunked';
const length = `Content-Length: ${animal.length}`;

describe('a request whose end is ambiguous is refused, and what follows it is not read', () => {
  test.each<[shape: string, headers: string[], body: string]>([
    ['Content-Length and Transfer-Encoding', [length, te], chunked()],
    ['Transfer-Encoding and Content-Length', [te, length], chunked()],
    ['two Content-Lengths', [length, 'Content-Length: 0'], animal],
    ['two equal Content-Lengths', [length, length], animal],
    ['a list of Content-Lengths', [`${length}, ${animal.length}`], animal],
    ['a Content-Length with a sign', [`Content-Length: +${animal.length}`], animal],
    ['a negative Content-Length', ['Content-Length: -1'], animal],
    ['a hexadecimal Content-Length', ['Content-Length: 0x1b'], animal],
    ['a Content-Length of two numbers', ['Content-Length: 27 27'], animal],
    ['an empty Content-Length', ['Content-Length:'], animal],
    ['a Content-Length that is too large for a number', [`Content-Length: ${'9'.repeat(30)}`], animal],
    ['whitespace before the colon', [`Content-Length : ${animal.length}`], animal],
    ['whitespace before the colon of Transfer-Encoding', ['Transfer-Encoding : chunked'], chunked()],
    ['a header folded over two lines', [length, 'X-A: b\r\n c'], animal],
    ['a folded Transfer-Encoding', ['Transfer-Encoding:\r\n chunked'], chunked()],
    ['an unknown Transfer-Encoding', ['Transfer-Encoding: xchunked'], chunked()],
    ['Transfer-Encoding: identity', ['Transfer-Encoding: identity'], animal],
    ['identity and Content-Length', ['Transfer-Encoding: identity', length], animal],
    ['chunked that is not the last coding', ['Transfer-Encoding: chunked, identity'], chunked()],
    ['a coding before chunked', ['Transfer-Encoding: gzip, chunked'], chunked()],
    ['chunked twice', [te, te], chunked()],
    ['chunked twice in a list', ['Transfer-Encoding: chunked, chunked'], chunked()],
    ['an empty Transfer-Encoding', ['Transfer-Encoding: '], chunked()],
    ['a vertical tab before chunked', ['Transfer-Encoding: \x0bchunked'], chunked()],
    ['chunked in quotes', ['Transfer-Encoding: "chunked"'], chunked()],
    ['a bare LF between headers', [`X-A: b\n${length}`], animal],
    ['a bare CR between headers', [`X-A: b\r${length}`], animal],
    ['a bare LF before the body', [`${length}\r\n\n${animal}`], ''],
    ['a NUL in a header', [length, 'X-A: a\0b'], animal],
    ['a header without a colon', [length, 'X-A'], animal],
    ['a header without a name', [length, ': a'], animal],
    ['a chunk size that is not a number', [te], 'zz\r\n'],
    ['an empty chunk size', [te], `\r\n${animal}\r\n0\r\n\r\n`],
    ['a negative chunk size', [te], `-1\r\n${animal}`],
    ['a chunk size with 0x', [te], `0x${chunked()}`],
    ['a chunk size that is too large for a number', [te], `${'F'.repeat(17)}\r\n${animal}`],
    ['whitespace before a chunk size', [te], ` ${chunked()}`],
    ['whitespace after a chunk size', [te], chunked(animal, { extension: ' ' })],
    ['a bare LF after a chunk size', [te], `1b\n${animal}\r\n0\r\n\r\n`],
    ['a bare LF after a chunk extension', [te], `1b;a=b\n${animal}\r\n0\r\n\r\n`],
    ['a bare LF after a chunk', [te], chunked(animal, { end: '\n' })],
    ['a bare LF after the last chunk', [te], chunked(animal, { last: '0\r\n\n' })],
    ['a chunk that is longer than its size', [te], `1a\r\n${animal}\r\n0\r\n\r\n`],
    ['an endless chunk extension', [te], chunked(animal, { extension: `;a=${'b'.repeat(20_000)}` })],
  ])('%s: 400', async (_, headers, body) => {
    expect(await answers(withFollower(headers, body))).toEqual(['400 malformed_http']);
  });

  test('endless trailers: 431', async () => {
    const body = chunked(animal, { last: `0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n` });
    expect(await answers(withFollower([te], body))).toEqual(['431 headers_too_large']);
  });

  test.each([
    ['an operation', 'GET /v1/pets'],
    ['an unknown path', 'GET /none'],
    ['a page', 'GET /healthz'],
    ['another page', 'GET /openapi.json'],
    ['OPTIONS', 'OPTIONS /v1/pets'],
    ['a preflight', 'OPTIONS /v1/pets', 'Access-Control-Request-Method: GET'],
  ])('on every path: %s', async (_, line, ...headers) => {
    for (const bad of ['Host: b', 'Transfer-Encoding: identity', 'Transfer-Encoding: gzip, chunked']) {
      const head = [`${line} HTTP/1.1`, ...callerHeaders(), ...headers, bad, '', ''].join('\r\n');
      const [response, ...further] = parseResponses(
        await sendBytes(
          server.url,
          withFollower([length], animal).replace(/^/, () => head),
        ),
      );
      expect([response?.headers.get('connection'), further]).toEqual(['close', []]);
    }
  });

  test('its response has Connection: close, and requests before it are answered', async () => {
    const good = ['GET /v1/pets/0 HTTP/1.1', ...callerHeaders(), '', ''].join('\r\n');
    const bytes = good + withFollower(['Transfer-Encoding: identity'], animal);
    const responses = parseResponses(await sendBytes(server.url, bytes));
    expect(verdicts(responses)).toEqual(['404 pet_not_found', '400 malformed_http']);
    expect(responses.map(({ headers }) => headers.get('connection'))).toEqual(['keep-alive', 'close']);
  });

  test('gets a response also if errorBody throws, returns nothing, or returns the text itself', async () => {
    const errorBody = ({ code }: Problem) => {
      if (code === 'malformed_http') throw new Error('It has no words.');
      return code === 'headers_too_large' ? undefined : 'own text';
    };
    await using other = await startTestServer({ service: { ...api, errorBody } });
    const large = `GET / HTTP/1.1\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`;
    const sent = ['GET\r\n\r\n', large, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'];
    const responses = [];
    for (const bytes of sent) responses.push(...parseResponses(await sendBytes(other.url, bytes)));
    expect(responses.map(({ status, text }) => [status, /"code":"\w+"|own text$/.exec(text)?.[0]])).toEqual([
      [400, '"code":"malformed_http"'],
      [431, '"code":"headers_too_large"'],
      [405, 'own text'],
    ]);
    expect(other.log()).toContain('It has no words.');
  });

  test('requests after it have no effect', async () => {
    const { body } = await server.call('listPets', { query: { limit: 100 } });
    expect(body).toEqual([]);
  });
});

describe('a request whose end is clear is followed by the next one, and both are answered in order', () => {
  test.each<[shape: string, headers: string[], body: string]>([
    ['Content-Length', [length], animal],
    ['Content-Length with tabs around it', [`Content-Length:\t${animal.length}\t`], animal],
    ['Content-Length with leading zeros', [`Content-Length: 000${animal.length}`], animal],
    ['chunks', [te], chunked()],
    ['chunks, in capitals', ['TRANSFER-ENCODING: CHUNKED'], chunked()],
    ['many chunks', [te], `${[...animal].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`],
    ['a chunk extension', [te], chunked(animal, { extension: ';a=b;c="d\\"e"' })],
    ['trailers, which change nothing', [te], chunked(animal, { last: '0\r\nAuthorization: x\r\nHost: b\r\n\r\n' })],
    ['Expect: 100-continue', [length, 'Expect: 100-continue'], animal],
    ['another method in a header', [length, 'X-HTTP-Method-Override: DELETE'], animal],
  ])('%s', async (_, headers, body) => {
    expect(await answers(withFollower(headers, body))).toEqual(['201', '201']);
  });

  test('a request in the body of a GET is treated as its body', async () => {
    const hidden = withFollower([length], animal);
    const head = ['GET /v1/pets HTTP/1.1', ...callerHeaders(), `Content-Length: ${hidden.length}`, '', ''].join('\r\n');
    const last = ['GET /v1/pets/0 HTTP/1.1', ...callerHeaders(), 'Connection: close', '', ''].join('\r\n');
    expect(await answers(`${head}${hidden}${last}`)).toEqual(['400 invalid_request', '404 pet_not_found']);
  });

  test('nothing is read after Connection: close', async () => {
    expect(await answers(withFollower([length, 'Connection: close'], animal))).toEqual(['201']);
  });

  test('the server does not wait for a large body that it will not read', async () => {
    const head = ['GET /v1/pets HTTP/1.1', ...callerHeaders(), 'Content-Length: 20000000000', '', ''].join('\r\n');
    expect(await answers(head)).toEqual(['400 invalid_request']);
  });
});
