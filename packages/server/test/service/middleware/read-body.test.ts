import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPieces } from '../../../../service/src/middleware/read-body.ts';
import { ApiError } from '../../../../service/src/openapi/api-error.ts';

let tell: (outcome: unknown) => void = () => {};

const server = createServer(async (request, response) => {
  const read = async () => {
    const pieces: unknown[] = [];
    for await (const piece of readPieces(request, { kind: 'text', maxBytes: 5 })) pieces.push(piece);
    return pieces.join('');
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

describe('a streamed body', () => {
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
