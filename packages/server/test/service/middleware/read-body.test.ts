import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { limits } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../../service/src/contract/api-error.ts';
import { checkBodyHeaders, readBytes, readPieces } from '../../../../service/src/middleware/read-body.ts';

/** Whether the next request is read only after its connection is closed. */
let readsLate = false;
/** Whether the next request is read piece by piece, as a streamed body. */
let reads: 'whole' | 'text in pieces' = 'whole';
let tell: (outcome: unknown) => void = () => {};

const server = createServer(async (request, response) => {
  if (readsLate) await once(request, 'close').catch(() => {});
  const read = async () => {
    checkBodyHeaders(request, limits.bodyBytes);
    if (reads === 'text in pieces') {
      const pieces: unknown[] = [];
      for await (const piece of readPieces(request, { kind: 'text', maxBytes: 5 })) pieces.push(piece);
      return pieces.join('');
    }
    return readBytes(request, limits.bodyBytes);
  };
  const outcome = await read().catch((error: unknown) => (error instanceof ApiError ? error.code : error));
  response.end();
  tell(outcome);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

/** Reads a request with these headers and this body. The caller sends nothing after it. */
async function readingOf(headers: string, ...parts: (string | Buffer)[]): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  tell = resolve;
  const { port }: AddressInfo = Object(server.address());
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
  socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
  const outcome = await promise;
  socket.destroy();
  return outcome;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('the bytes of a body', () => {
  test('are those that were sent, in one chunk or in several', async () => {
    expect(await readingOf('Content-Length: 5', 'hello')).toEqual(Buffer.from('hello'));
    expect(await readingOf('Transfer-Encoding: chunked', chunk('hel'), chunk('lo'), '0\r\n\r\n')).toEqual(
      Buffer.from('hello'),
    );
  });

  test.each(['Identity', '', ' '])('are read unchanged with Content-Encoding: "%s"', async (coding) => {
    expect(await readingOf(`Content-Encoding: ${coding}\r\nContent-Length: 1`, 'x')).toEqual(Buffer.from('x'));
  });

  test('may be as many as the contract allows, and no more', async () => {
    const most = 'x'.repeat(limits.bodyBytes);
    expect(await readingOf(`Content-Length: ${most.length}`, most)).toHaveLength(limits.bodyBytes);
    expect(await readingOf(`Content-Length: ${most.length + 1}`, most, 'x')).toBe('body_too_large');
    expect(await readingOf('Transfer-Encoding: chunked', chunk(most), chunk('x'), '0\r\n\r\n')).toBe('body_too_large');
  });

  test('are refused if there are too many, before the last of them arrives', async () => {
    expect(await readingOf(`Content-Length: ${limits.bodyBytes + 1}`)).toBe('body_too_large');
    const most = 'x'.repeat(limits.bodyBytes);
    expect(await readingOf('Transfer-Encoding: chunked', chunk(most), chunk('x'))).toBe('body_too_large');
  });

  test('are not decompressed', async () => {
    expect(await readingOf('Content-Encoding: gzip\r\nContent-Length: 1', 'x')).toBe('unsupported_media_type');
  });

  test.each([false, true])(
    'are refused if there are fewer than announced, even if they are read late (%s)',
    async (late) => {
      readsLate = late;
      expect(await readingOf('Content-Length: 9', 'cut off')).toBe('malformed_http');
      readsLate = false;
    },
  );
});

describe('a streamed body', () => {
  beforeAll(() => {
    reads = 'text in pieces';
  });

  test('is passed on as it was sent, also if a character is in two chunks', async () => {
    const cat = Buffer.from('🐈').toString('latin1');
    const bytes = ['a', cat.slice(0, 2), cat.slice(2)].map((part) => Buffer.from(chunk(part), 'latin1'));
    expect(await readingOf('Transfer-Encoding: chunked', ...bytes, '0\r\n\r\n')).toBe('a🐈');
  });

  test('may have as many bytes as the contract allows, and no more', async () => {
    expect(await readingOf('Transfer-Encoding: chunked', chunk('12345'), '0\r\n\r\n')).toBe('12345');
    expect(await readingOf('Transfer-Encoding: chunked', chunk('123'), chunk('456'), '0\r\n\r\n')).toBe(
      'body_too_large',
    );
  });

  test('is refused if it is not UTF-8', async () => {
    expect(await readingOf('Content-Length: 1', Buffer.from([0xff]))).toBe('invalid_request');
  });
});
