import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../errors.ts';
import { limitHeaders } from '../limits/enforce.ts';
import type { Limiter } from '../limits/limiter.ts';

type ParserError = Error & { code?: string };

/**
 * Answers requests that Node refuses before the app sees them (not HTTP, too large headers, too slow), with the same
 * `Error` and headers as all others. Node's own replies to them are empty.
 */
export function answerClientErrors(limiter: Limiter) {
  return async (error: ParserError, socket: Duplex): Promise<void> => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const refusal = refusalOf(error);
    const verdict = await limiter.countAddress(addressOf(socket));
    const json = JSON.stringify(refusal.body);
    const headers = [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(json)}`,
      `X-Request-Id: ${randomUUID()}`,
      ...limitHeaders(verdict).map(([name, value]) => `${name}: ${value}`),
      'Access-Control-Allow-Origin: *',
      'Cache-Control: no-store',
      'Connection: close',
    ];
    if (!socket.writable) return;
    socket.end(`${headers.join('\r\n')}\r\n\r\n${json}`);
  };
}

function refusalOf({ code }: ParserError): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('headers_too_large', `The address and the headers may have ${maxHeaderSize} bytes at most.`);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('request_timeout', 'The request did not arrive in time. Send it again.');
  }
  return new ApiError('malformed_http', 'This is not HTTP as it should be. Use an HTTP library.');
}

function addressOf(socket: Duplex & Partial<Pick<Socket, 'remoteAddress'>>): string {
  return socket.remoteAddress ?? '';
}
