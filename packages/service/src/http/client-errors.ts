import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Contract } from '../common/facts.ts';
import type { ResponseObserver } from '../common/observed-response.ts';
import { ApiError, statusOf } from '../openapi/api-error.ts';
import type { CompiledContract } from '../openapi/compiled-contract.ts';
import { type ErrorTextOf, errorType, problemOf } from '../openapi/error-body.ts';
import type { Verdict } from '../rate-limit/count-request.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import { closeGently, sent } from './close-gently.ts';
import type { Connections } from './connection.ts';
import { failBody } from './message.ts';
import { bodyHeaders, limitHeaders, plainHeaders } from './respond.ts';

// Not imported; see server.ts.
const { maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http');

type ClientErrorParts = {
  contract: CompiledContract;
  errorText: ErrorTextOf;
  connections: Connections;
  limiter: Limiter;
  observers: readonly ResponseObserver[];
};

type ParserError = Error & { code?: string };

/**
 * Responds to requests that Node refuses before the app has received them (invalid HTTP, headers too large, timeouts,
 * CONNECT) as the app would. If Node refuses the body of a request that the app has received, the app responds.
 */
export function answerClientErrors(
  server: Server,
  { contract: { contract, methods }, errorText, connections, limiter, observers }: ClientErrorParts,
): void {
  server.on('connect', (_request, socket) => {
    // Node removes its own error listener from this socket, and an unhandled 'error' event would end the process.
    socket.on('error', () => socket.destroy());
    if (connections.of(socket).endInput(socket)) void refuse(socket, unsupportedConnect(methods));
  });
  server.on('clientError', async (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const refusal = refusalOf(error);
    const connection = connections.of(socket);
    const { response } = connection;
    if (response !== undefined && !response.writableFinished && !response.req.complete) {
      connection.stopParsing(socket);
      connection.closeAfterResponse();
      failBody(response.req, refusal);
    } else if (connection.endInput(socket)) await refuse(socket, refusal);
  });

  async function refuse(socket: Duplex, refusal: ApiError): Promise<void> {
    // Responses must keep the order of their requests.
    await sent(connections.of(socket).response, socket);
    const startedAt = performance.now();
    // If the limiter is unavailable, the response has no rate-limit headers.
    const address = addressOf(socket);
    const verdict = await limiter.countAddress(address).catch(() => undefined);
    const requestId = randomUUID();
    const observe = (error?: Error | null) => {
      const seen = {
        ...{ requestId, operation: 'unreadable', status: statusOf(refusal, contract), code: refusal.code },
        address: () => address,
        ...{ keyId: undefined, streamMilliseconds: undefined, trace: undefined },
        milliseconds: performance.now() - startedAt,
        aborted: error !== undefined && error !== null,
      };
      for (const observer of observers) observer(seen);
    };
    const body = errorText({ ...problemOf(refusal, contract, ''), requestId });
    socket.end(rawResponse(refusal, body, contract, requestId, verdict), observe);
    closeGently(socket);
  }
}

function rawResponse(
  refusal: ApiError,
  body: string,
  contract: Contract,
  requestId: string,
  verdict?: Verdict,
): string {
  const status = statusOf(refusal, contract);
  const own = Object.entries(refusal.headers).flat();
  const limits = verdict === undefined ? [] : limitHeaders(verdict);
  const common = ['X-Request-Id', requestId, ...plainHeaders];
  const headers = [...common, ...own, ...limits, ...bodyHeaders(errorType(contract), body)];
  const lines = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Connection: close\r\n\r\n${body}`;
}

function refusalOf({ code }: ParserError): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError(
      'headers_too_large',
      `The URL and headers are larger than ${maxHeaderSize} bytes. Shorten them, or send fewer headers.`,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('request_timeout', 'The request did not arrive in time. Send it again.');
  }
  return new ApiError('malformed_http', 'The request is not valid HTTP. Use an HTTP library.');
}

function unsupportedConnect(methods: readonly string[]): ApiError {
  return new ApiError(
    'method_not_allowed',
    'This server is not a proxy and does not support CONNECT. Use one of the methods in Allow.',
    { headers: { Allow: methods.join(', ') } },
  );
}

function addressOf(socket: Duplex): string {
  return 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : '';
}
