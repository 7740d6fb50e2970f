import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathOf } from '../http/message.ts';
import { createServer, listen } from '../http/server.ts';
import type { Metrics } from './metrics.ts';

export type MetricsListener = { port: number; close: () => Promise<void> };

/** Few scrapers read the metrics, and the file descriptors of the process are for callers of the API. */
const MAX_CONNECTIONS = 50;
const timeouts = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

/** Serves GET /metrics on a separate port, so that the metrics are not public with the API. */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'read'>,
  { host, port }: { host: string; port: number },
): Promise<MetricsListener> {
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const isKnown = request.method === 'GET' && pathOf(request.url ?? '') === '/metrics';
    if (!isKnown) return void answer(response, 404, 'There is only GET /metrics.\n');
    metrics.read().then(
      ({ text, contentType }) => answer(response, 200, text, contentType),
      () => answer(response, 500, 'The metrics could not be read.\n'),
    );
  };
  const server = createServer(timeouts, respond);
  server.maxConnections = MAX_CONNECTIONS;
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: await listen(server, port, host), close };
}

function answer(response: ServerResponse, status: number, text: string, contentType = 'text/plain'): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
