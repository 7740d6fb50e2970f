import { connect, type Socket } from 'node:net';
import { quantile } from '../statistics.ts';
import { type Response, ResponseReader } from './response-reader.ts';

/** An encoded request and the status that its response must have. */
export type LoadRequest = { bytes: Buffer; status: number };

export type Load = {
  /** The connections are spread evenly over these. */
  ports: readonly number[];
  /** Called for each request, by any connection that is free. */
  next: () => LoadRequest;
  /** The fraction of responses that may have another status. */
  tolerance?: number;
};

export type LoadResult = {
  /** Responses per second. */
  rate: number;
  /** Milliseconds from a request to its response. */
  p50: number;
  p99: number;
  /** All responses, including those that arrived after the time was up. */
  responses: number;
  /** The fraction of the time in which the load generator itself was busy. Near 1, it limits the rate. */
  busy: number;
};

/** The state that the connections of a measurement share. */
type Progress = { over: boolean; latencies: number[]; unexpected: { count: number; first: string } };

/**
 * Closed loop: each connection sends its next request as soon as it has the response to the last one. It uses plain sockets,
 * because the client of node:http costs about as much as the server under test.
 *
 * @throws Error if too many responses have an unexpected status, because their rate would be meaningless
 */
export async function runLoad(
  load: Load,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const progress: Progress = { over: false, latencies: [], unexpected: { count: 0, first: '' } };
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, index) => open(load.ports[index % load.ports.length] ?? 0)),
  );
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const result = { rate: 0, busy: 0 };
  const timer = setTimeout(() => {
    const elapsed = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuBefore);
    progress.over = true;
    // The timer may fire a moment early.
    result.rate = progress.latencies.length / Math.max(elapsed / 1_000, seconds);
    result.busy = (user + system) / 1_000 / elapsed;
  }, seconds * 1_000);
  await Promise.all(sockets.map((socket) => keepSending(socket, load, progress))).finally(() => clearTimeout(timer));

  const { unexpected } = progress;
  const latencies = progress.latencies.sort((a, b) => a - b);
  if (unexpected.count > latencies.length * (load.tolerance ?? 0)) {
    throw new Error(`${unexpected.count} responses had an unexpected status. The first one: ${unexpected.first}`);
  }
  return { ...result, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), responses: latencies.length };
}

/**
 * Gives one request after another, then starts again from the first.
 * @throws Error if there are none
 */
export function roundRobin(requests: readonly LoadRequest[]): () => LoadRequest {
  const [first] = requests;
  if (first === undefined) throw new Error('There are no requests to send.');
  let index = 0;
  return () => {
    const request = requests[index] ?? first;
    index = (index + 1) % requests.length;
    return request;
  };
}

/** The bytes of a request on a kept-alive connection. */
export function encodeRequest(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== '') lines.push(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n${body}`);
}

/** Sends one request over its own connection. */
export async function sendOnce(port: number, bytes: Buffer): Promise<Response> {
  const socket = await open(port);
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader();
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed the connection.')));
    socket.on('data', (chunk) => {
      const response = reader.read(chunk);
      if (response === undefined) return;
      resolve(response);
      socket.destroy();
    });
    socket.write(bytes);
  });
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends requests on one connection until the time is up, then waits for the last response. */
function keepSending(socket: Socket, { next }: Load, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader();
    let request = next();
    let sentAt = performance.now();
    let finished = false;
    socket.on('data', (chunk) => {
      const response = reader.read(chunk);
      if (response === undefined) return;
      if (response.status !== request.status) noteUnexpected(progress, response);
      const now = performance.now();
      progress.latencies.push(now - sentAt);
      finished = progress.over;
      if (finished) return void socket.end();
      request = next();
      sentAt = now;
      socket.write(request.bytes);
    });
    socket.on('error', reject);
    socket.on('close', () => (finished ? resolve() : reject(new Error('The server closed the connection.'))));
    socket.write(request.bytes);
  });
}

function noteUnexpected({ unexpected }: Progress, response: Response): void {
  if (unexpected.count === 0) unexpected.first = response.text();
  unexpected.count += 1;
}
