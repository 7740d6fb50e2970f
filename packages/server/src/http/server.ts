import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Limiter } from '../limiter/limiter.ts';
import { answerClientErrors } from './client-errors.ts';
import { Connections, type ConnectionTimeouts } from './connection.ts';
import type { ResponseObserver } from './context.ts';
import { toOriginForm } from './message.ts';

/**
 * Without `import`: to make an ES module of `node:http`, Node reads each of its exports, and the one named WebSocket loads an
 * HTTP client (undici). That takes 36 ms, and nothing here uses it.
 */
const http = process.getBuiltinModule('node:http');
export const { createServer } = http;

export type Timeouts = ConnectionTimeouts & {
  /** Milliseconds in which the headers must have arrived. */
  headers: number;
  /** Milliseconds in which the whole request must have arrived. */
  request: number;
};

/** Generous for a request of at most 80 KiB, and too short to hold connections open by sending byte after byte. */
export const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, response: 90_000, lastRequest: 1_000 };

export type HttpServerParts = {
  limiter: Limiter;
  /** Called for each response to a request that the app did not see. */
  observers: readonly ResponseObserver[];
  timeouts: Timeouts;
  /** Connections at once. */
  maxConnections: number;
};

export type HttpServer = { server: Server; connections: Connections };

/** The HTTP server of the app. It also answers the requests that Node refuses before the app sees them. */
export function createHttpServer(app: Express, parts: HttpServerParts): HttpServer {
  const { limiter, observers, timeouts, maxConnections } = parts;
  const server = createServer({
    ...createMessages(app),
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    // How often Node checks the time-outs above. The default of 30 s would make them up to 30 s longer.
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
    // Longer than load balancers keep idle connections (60 s), so that they never reuse one that is closing.
    keepAliveTimeout: 65_000,
    // Node's own 400 has no body, so the app checks the Host header.
    requireHostHeader: false,
  });
  // The size of all headers is limited. Beyond 2,000 headers Node would drop the rest, such as those that a proxy appends.
  server.maxHeadersCount = 0;
  // A client that has closed its side still waits for the responses; Node would close the other side as well.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node closes any further connection at once, without a response, so that file descriptors are left for the storage.
  server.maxConnections = maxConnections;
  const connections = new Connections(server, timeouts);
  answerClientErrors(server, connections, limiter, observers);
  const handle = batchPerTick<IncomingMessage, ServerResponse>(app);
  const handleAccepted = (request: IncomingMessage, response: ServerResponse) => {
    toOriginForm(request);
    if (connections.accept(request, response)) handle(request, response);
  };
  server.on('request', handleAccepted);
  // RFC 9110 10.1.1: a server may ignore an unknown expectation.
  server.on('checkExpectation', handleAccepted);
  // `readBody` sends 100 Continue, to callers whose body it accepts.
  server.on('checkContinue', handleAccepted);
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

/**
 * Message classes whose prototypes are those of an Express application. Express would set them on each request, which makes
 * the engine treat every message as one of a new shape: a fifth of a request's time (docs/performance.md).
 */
export function createMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends http.IncomingMessage {}
  class Response<To extends IncomingMessage> extends http.ServerResponse<To> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** The most requests in one batch: the requests of one connection must not keep the others waiting. */
export const MAX_BATCH = 200;

type Handler<Request, Response> = (request: Request, response: Response) => void;

/**
 * Collects the requests of one turn of the event loop and handles them at its end, one after the other. The code and data of
 * each step then stay in the processor's caches from one request to the next (decision 28). A lone request is not delayed.
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
