import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import { ensureLimitHeaders, limitHeaders } from '../limits/enforce.ts';
import type { Limiter } from '../limits/limiter.ts';
import { corsHeaders } from '../request/cors.ts';
import { plainHeaders } from './plain-headers.ts';

type ParserError = Error & { code?: string };

/**
 * Answers requests that Node refuses before the app sees the whole of them (not HTTP, too large headers, too slow,
 * CONNECT), with the same `Error` and headers as all others. Node's own replies to them are empty.
 */
export function answerClientErrors(server: Server, limiter: Limiter): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('connect', (_request, socket) => void refuse(socket, unsupportedConnect()));
  server.on('clientError', async (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const refusal = refusalOf(error);
    const response = latest.get(socket);
    if (response === undefined || response.writableFinished) return refuse(socket, refusal);
    if (!response.req.complete) return answerOn(response, refusal, socket);
    // A request before the broken one is still being answered; replies keep the order of their requests.
    await once(response, 'close');
    await refuse(socket, refusal);
  });

  /** The body of a request is what went wrong. Who may not call at all (401, 429) is told that: it comes before the body. */
  async function answerOn(response: ServerResponse, refusal: ApiError, socket: Duplex): Promise<void> {
    await setImmediate();
    if (response.headersSent || response.writableEnded) return;
    await ensureLimitHeaders(response, addressOf(socket), limiter);
    if (response.headersSent) return;
    const json = JSON.stringify(refusal.body);
    response.setHeader('Content-Length', Buffer.byteLength(json));
    response.writeHead(refusal.status, { 'Content-Type': 'application/json', Connection: 'close' }).end(json);
  }

  async function refuse(socket: Duplex, refusal: ApiError): Promise<void> {
    const verdict = await limiter.countAddress(addressOf(socket));
    if (socket.writable) socket.end(rawReply(refusal, limitHeaders(verdict)));
  }
}

function rawReply(refusal: ApiError, limits: [name: string, value: string][]): string {
  const json = JSON.stringify(refusal.body);
  const headers = [
    ['X-Request-Id', randomUUID()],
    ...Object.entries({ ...plainHeaders, ...corsHeaders, ...refusal.headers }),
    ...limits,
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(json))],
    ['Connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines}\r\n${json}`;
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

function unsupportedConnect(): ApiError {
  return new ApiError('method_not_allowed', 'This server is no proxy; it has no CONNECT.', {
    headers: { Allow: 'GET, POST, HEAD, OPTIONS' },
  });
}

function addressOf(socket: Duplex): string {
  return 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : '';
}
