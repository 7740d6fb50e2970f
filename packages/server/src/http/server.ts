import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Limiter } from '../limiter/limiter.ts';
import { batchPerTick } from './batch-per-tick.ts';
import { answerClientErrors } from './client-errors.ts';
import { Connections, type ConnectionTimeouts } from './connection.ts';
import type { ResponseObserver } from './context.ts';
import { toOriginForm } from './message.ts';
import { messagesOf } from './messages.ts';

/**
 * Without `import`: to make an ES module of `node:http`, Node reads each of its exports, and the one named WebSocket loads an
 * HTTP client (undici). That takes 36 ms, and nothing here uses it.
 */
export const { createServer } = process.getBuiltinModule('node:http');

export type Timeouts = ConnectionTimeouts & {
  /** Milliseconds in which the headers must have arrived. */
  headers: number;
  /** Milliseconds in which the whole request must have arrived. */
  request: number;
};

/** Generous for a request of at most 80 KiB, too short for holding connections open with drips of bytes. */
export const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, response: 90_000, lastRequest: 1_000 };

export type HttpServerParts = {
  limiter: Limiter;
  /** Told of every response that was given before the app saw the request. */
  observers: readonly ResponseObserver[];
  timeouts: Timeouts;
  /** Connections at once. */
  maxConnections: number;
};

export type HttpServer = { server: Server; connections: Connections };

/** A server for the app that also answers what Node refuses before the app sees it. */
export function createHttpServer(app: Express, parts: HttpServerParts): HttpServer {
  const { limiter, observers, timeouts, maxConnections } = parts;
  const server = createServer({
    ...messagesOf(app),
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    // How often Node looks for late requests; the default of 30 s would make the time-outs above a wish.
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
    // Longer than common balancers keep idle connections (60 s), so that they never reuse one that is being closed.
    keepAliveTimeout: 65_000,
    // Node's own refusal has no body; the app refuses instead.
    requireHostHeader: false,
  });
  // Their number is limited by their bytes; beyond 2,000 Node would drop the rest, such as what a proxy adds at the end.
  server.maxHeadersCount = 0;
  // A caller that has ended its side still waits for the responses. Node would end its own side as well, before them.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node closes any further connection at once, without a response, so that file descriptors are left for the storage.
  server.maxConnections = maxConnections;
  const connections = new Connections(server, timeouts);
  answerClientErrors(server, connections, limiter, observers);
  const answer = batchPerTick<IncomingMessage, ServerResponse>(app);
  const answerAccepted = (request: IncomingMessage, response: ServerResponse) => {
    toOriginForm(request);
    if (connections.accept(request, response)) answer(request, response);
  };
  server.on('request', answerAccepted);
  // RFC 9110 10.1.1: an expectation that is not understood may be ignored; the request itself is answered.
  server.on('checkExpectation', answerAccepted);
  // 100 Continue is for callers that are let in: the app sends it before it reads the body.
  server.on('checkContinue', answerAccepted);
  return { server, connections };
}

/** Starts listening; resolves to the port, which the system chooses when it is 0. Rejects when it cannot listen. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
