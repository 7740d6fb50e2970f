import type { IncomingMessage, ServerResponse } from 'node:http';
import { Connections } from '../http/connection.ts';
import { createServer, listen } from '../http/server.ts';
import type { Metrics } from './metrics.ts';

export type MetricsListener = { port: number; close: () => Promise<void> };

/** Milliseconds. A hanging scrape must not delay the stop. */
const DRAIN_DEADLINE = 1_000;

/** Few scrapers read the metrics, and the file descriptors of the process are for callers of the API. */
const MAX_CONNECTIONS = 50;
const timeouts = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

/** Serves GET /metrics on a separate port, so that the metrics are not public with the API. */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'read'>,
  { host, port }: { host: string; port: number },
): Promise<MetricsListener> {
  const read = shareConcurrent(metrics.read);
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') return void answer(response, 404, 'The metrics are at /metrics.\n');
    if (request.method !== 'GET') {
      response.setHeader('Allow', 'GET');
      return void answer(response, 405, 'Only GET is supported: GET /metrics.\n');
    }
    read().then(
      ({ text, contentType }) => answer(response, 200, text, contentType),
      () => answer(response, 500, 'The metrics could not be read.\n'),
    );
  };
  const server = createServer(timeouts, (request, response) => connections.accept(request, response, respond));
  const connections = new Connections(server, { timeouts: { response: 10_000, lastRequest: 0 }, largeBody: 0 });
  server.maxConnections = MAX_CONNECTIONS;
  return { port: await listen(server, port, host), close: () => connections.drain.finish(DRAIN_DEADLINE) };
}

/** Concurrent scrapes share one read, because each read takes time from the requests. */
function shareConcurrent<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function answer(response: ServerResponse, status: number, text: string, contentType = 'text/plain'): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
