import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Limiter } from '../limiter/limiter.ts';
import { batchPerTick } from './batch-per-tick.ts';
import { answerClientErrors } from './client-errors.ts';
import { InFlightResponses } from './in-flight-responses.ts';
import { messagesOf } from './messages.ts';
import { createServer } from './node-http.ts';
import type { ResponseObserver } from './observed-response.ts';

export type Timeouts = {
  /** Milliseconds in which the headers must have arrived. */
  headers: number;
  /** Milliseconds in which the whole request must have arrived. */
  request: number;
  /** Milliseconds in which the caller must have taken its response, counted from when the headers had arrived. */
  response: number;
};

/** Generous for a request of at most 80 KiB, too short for holding connections open with drips of bytes. */
export const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, response: 90_000 };

export type HttpServerParts = {
  limiter: Limiter;
  /** Told of every response that was given before the app saw the request. */
  observers: readonly ResponseObserver[];
  timeouts: Timeouts;
  /** Connections at once. */
  maxConnections: number;
};

/** A server for the app that also answers what Node refuses before the app sees it. */
export function createHttpServer(app: Express, parts: HttpServerParts): Server {
  const { limiter, observers, timeouts, maxConnections } = parts;
  const inFlight = new InFlightResponses();
  const answer = batchPerTick<IncomingMessage, ServerResponse>(app);
  const server = createServer(
    {
      ...messagesOf(app, inFlight.note),
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      // How often Node looks for late requests; the default of 30 s would make the time-outs above a wish.
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
      // Longer than common balancers keep idle connections (60 s), so that they never reuse one that is being closed.
      keepAliveTimeout: 65_000,
      // Node's own refusal has no body; the app refuses instead.
      requireHostHeader: false,
    },
    answer,
  );
  // Their number is limited by their bytes; beyond 2,000 Node would drop the rest, such as what a proxy adds at the end.
  server.maxHeadersCount = 0;
  // Who says that nothing follows still waits for the responses. Node would end its own half as well, before them.
  Object.assign(server, { httpAllowHalfOpen: true });
  limitConnections(server, maxConnections);
  answerClientErrors(server, inFlight, limiter, observers);
  // RFC 9110 10.1.1: an expectation that is not understood may be ignored; the request itself is answered.
  server.on('checkExpectation', answer);
  // 100 Continue is for callers that are let in: the app sends it before it reads the body.
  server.on('checkContinue', answer);
  cutSlowReaders(server, inFlight, timeouts.response);
  return server;
}

/**
 * Beyond `most`, new connections are refused, so that files are left for the storage. Who holds one without using it gives
 * it up: an idle one may be closed at any time (RFC 9112 9.3), a mute one ends by its time-out.
 */
function limitConnections(server: Server, most: number): void {
  server.maxConnections = most;
  server.on('drop', () => server.closeIdleConnections());
}

/** Node waits for ever for a caller that does not read, and keeps what it was to read. */
function cutSlowReaders(server: Server, inFlight: InFlightResponses, milliseconds: number): void {
  const cutTheLate = () => {
    for (const connection of inFlight.late(milliseconds)) connection.destroy();
  };
  // One look at all of them now and then costs less than a timer for each.
  const look = setInterval(cutTheLate, Math.min(1_000, milliseconds / 2)).unref();
  server.on('close', () => clearInterval(look));
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

/** Stops listening, lets requests under way end, and cuts off what is left after `deadline` milliseconds. */
export async function drain(server: Server, deadline: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), deadline);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
