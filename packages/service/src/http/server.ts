import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Contract } from '../common/facts.ts';
import type { ResponseObserver } from '../common/observed-response.ts';
import type { CompiledContract } from '../openapi/compiled-contract.ts';
import type { ErrorTextOf } from '../openapi/error-body.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import { answerClientErrors } from './client-errors.ts';
import { Connections, type ConnectionTimeouts } from './connection.ts';
import { toOriginForm } from './message.ts';

/** Not imported, because an import reads all exports, and the getter of `WebSocket` loads undici, which takes 36 ms. */
const http = process.getBuiltinModule('node:http');
export const { createServer } = http;

export type Timeouts = ConnectionTimeouts & {
  headers: number;
  request: number;
};

/** Bytes per millisecond at which a large body must arrive on average: 64 KiB per second. */
const SLOWEST_UPLOAD = 65.536;

/**
 * Long enough for a request of at most 80 KiB on a slow network, short enough to stop slow-request attacks. Node has one limit
 * for all requests, so an operation with larger bodies extends it.
 */
export function timeoutsFor({ operations, limits }: Contract): Timeouts {
  const bodies = Object.values(operations).flatMap(({ requestBody }) => Object.values(requestBody?.mediaTypes ?? {}));
  const largestBody = Math.max(limits.bodyBytes, ...bodies.map(({ maxBytes }) => maxBytes));
  return {
    headers: 10_000,
    request: 30_000 + Math.ceil((largestBody - limits.bodyBytes) / SLOWEST_UPLOAD),
    response: 90_000,
    lastRequest: 1_000,
  };
}

export type HttpServerParts = {
  messages: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  contract: CompiledContract;
  errorText: ErrorTextOf;
  limiter: Limiter;
  observers: readonly ResponseObserver[];
  timeouts: Timeouts;
  maxConnections: number;
};

/** The HTTP server in front of the app. It also answers the requests that Node refuses before the app sees them. */
export function createHttpServer(listener: RequestListener, parts: HttpServerParts) {
  const { messages, contract, errorText, limiter, observers, timeouts, maxConnections } = parts;
  const server = createServer({
    ...messages,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    // Node checks the timeouts above at this interval, so the default of 30 s would extend them by up to 30 s.
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
    // Longer than load balancers keep idle connections (60 s), so that they do not reuse one that is closing.
    keepAliveTimeout: 65_000,
    // RFC 9110 7.8: a server may ignore an Upgrade header. Java's client and curl --http2 send one.
    shouldUpgradeCallback: () => false,
    // Node's own 400 has no body, so the app checks the Host header.
    requireHostHeader: false,
  });
  // maxHeaderSize already bounds the headers. By default Node silently drops all headers after the first 2,000.
  server.maxHeadersCount = 0;
  // A client that has closed its side may still wait for responses; by default Node would close the other side as well.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Connections above this limit are closed without a response, so that the storage does not run out of file descriptors.
  server.maxConnections = maxConnections;
  const connections = new Connections(server, {
    timeouts,
    largeBody: contract.contract.limits.bodyBytes,
  });
  answerClientErrors(server, { contract, errorText, connections, limiter, observers });
  const handle = batchPerTick<IncomingMessage, ServerResponse>(listener);
  const handleAccepted = (request: IncomingMessage, response: ServerResponse) => {
    toOriginForm(request);
    connections.accept(request, response, handle);
  };
  server.on('request', handleAccepted);
  // RFC 9110 10.1.1: a server may ignore an unknown expectation.
  server.on('checkExpectation', handleAccepted);
  // `readBody` sends 100 Continue if it accepts the body.
  server.on('checkContinue', handleAccepted);
  return { server, connections };
}

/** Starts listening. Resolves to the port, which the system chooses if `port` is 0. Rejects if the port cannot be used. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // With Node's 511, the system resets some of a thousand connections that open while the event loop is busy.
    server.listen({ port, host, backlog: server.maxConnections }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/**
 * Message classes with the prototypes of an Express application. Otherwise Express changes the prototypes of each request and response,
 * which defeats V8's inline caches: a GET takes 18 % longer (decision 27).
 */
export function createMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends http.IncomingMessage {}
  class Response<To extends IncomingMessage> extends http.ServerResponse<To> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** The most requests in one batch, so that the pipelined requests of one connection do not block the others. */
export const MAX_BATCH = 200;

type Handler<Request, Response> = (request: Request, response: Response) => void;

/**
 * Collects the requests of one turn of the event loop and handles them at its end, one after another. The code and data of each step
 * then stay in the processor's caches from one request to the next: without it, a GET takes 23 % longer, and a hot list 40 %
 * (decision 27). A lone request is not delayed.
 */
export function batchPerTick<Request, Response>(handle: Handler<Request, Response>): Handler<Request, Response> {
  let batch: [request: Request, response: Response][] = [];
  const handleBatch = () => {
    const requests = batch;
    batch = [];
    for (const [request, response] of requests) handle(request, response);
  };
  return (request, response) => {
    if (batch.length === 0) setImmediate(handleBatch);
    batch.push([request, response]);
    if (batch.length === MAX_BATCH) handleBatch();
  };
}
