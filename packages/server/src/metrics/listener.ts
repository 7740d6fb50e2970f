import { createServer, type ServerResponse } from 'node:http';
import { drain, listen } from '../http/server.ts';
import type { Metrics } from './metrics.ts';

export type MetricsListener = { port: number; close: () => Promise<void> };

/** A scrape that hangs must not keep a stopping server. */
const PATIENCE = 1_000;

/** Answers GET /metrics on a listener of its own, so that the figures are not where the API is. */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'read'>,
  { host, port }: { host: string; port: number },
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') return void answer(response, 404, 'The metrics are at /metrics.\n');
    if (request.method !== 'GET') {
      response.setHeader('Allow', 'GET');
      return void answer(response, 405, 'The metrics are only read: GET /metrics.\n');
    }
    metrics.read().then(
      ({ text, contentType }) => answer(response, 200, text, contentType),
      () => answer(response, 500, 'The metrics could not be read.\n'),
    );
  });
  return { port: await listen(server, port, host), close: () => drain(server, PATIENCE) };
}

function answer(response: ServerResponse, status: number, text: string, contentType = 'text/plain'): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
