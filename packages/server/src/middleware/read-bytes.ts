import type { IncomingMessage } from 'node:http';
import { limits } from '@animal-store/contract';
import { ApiError } from '../contract/api-error.ts';

/**
 * Refuses a body that its headers rule out, before any of it is read. Throws an ApiError: 413 when it is larger than
 * `x-limits.bodyBytes`, 415 when it is compressed.
 */
export function checkBodyHeaders({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding'] ?? '';
  // An empty list of codings names none (RFC 9110 5.6.1.2).
  if (coding !== '' && coding.toLowerCase() !== 'identity') throw compressed();
  if (Number(headers['content-length']) > limits.bodyBytes) throw tooLarge();
}

/**
 * Reads the body of a request to its end, at most `x-limits.bodyBytes` of it. Express's reader knows encodings and
 * compression as well, of which nothing is taken here, and that takes 7 % of a creation.
 * Rejects with an ApiError: 413, 400 when it was cut off.
 */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Its connection ended while the caller was being looked up: no event will come any more.
    if (request.destroyed) throw cutOff();
    const chunks: Buffer[] = [];
    let size = 0;
    const read = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limits.bodyBytes) return;
      // The rest stays unread; the connection closes after the response.
      request.off('data', read).pause();
      reject(tooLarge());
    };
    request.on('data', read);
    request.on('end', () => resolve(joined(chunks)));
    request.on('close', () => {
      if (!request.readableEnded) reject(cutOff());
    });
  });
}

/** Most bodies come in one piece. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(): ApiError {
  return new ApiError('body_too_large', `The body may have ${limits.bodyBytes} bytes at most.`);
}

function compressed(): ApiError {
  return new ApiError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
}

function cutOff(): ApiError {
  return new ApiError('malformed_http', 'The body is shorter than Content-Length says.');
}
