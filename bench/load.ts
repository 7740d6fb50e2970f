import { connect, type Socket } from 'node:net';
import { quantile } from './results.ts';

type Response = { status: number; text: () => string };

const END_OF_HEAD = Buffer.from('\r\n\r\n');
// The end of `Content-Length: ` in any spelling of its first letters, and of no other header.
const LENGTH = Buffer.from('ength: ');
const ZERO = 48;

/**
 * Assembles the chunks of a connection into responses. It reads as little as possible, because otherwise the load generator
 * would be the bottleneck. Every response must have a Content-Length, and requests must not be pipelined.
 */
export class ResponseReader {
  #received: Buffer | undefined;

  /**
   * The response that ends with this chunk; undefined until then.
   * @throws Error if it has no Content-Length
   */
  read(chunk: Buffer): Response | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const length = lengthOf(received);
    if (length === undefined || received.length < length) {
      this.#received = received;
      return undefined;
    }
    this.#received = undefined;
    return { status: digits(received, 9, 12), text: () => received.toString() };
  }
}

/** The number of bytes of the whole response; undefined until its headers are complete. */
function lengthOf(received: Buffer): number | undefined {
  const end = received.indexOf(END_OF_HEAD);
  if (end === -1) return undefined;
  const start = received.indexOf(LENGTH);
  if (start === -1 || start > end) throw new Error(`The response has no Content-Length: ${received.toString()}`);
  const from = start + LENGTH.length;
  return end + END_OF_HEAD.length + digits(received, from, received.indexOf('\r', from));
}

function digits(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index += 1) value = value * 10 + (bytes[index] ?? ZERO) - ZERO;
  return value;
}

/** An encoded request and the status that its response must have. */
export type LoadRequest = { bytes: Buffer; status: number };

/** Any connection that is free takes the next one. */
export type Requests = Generator<LoadRequest, never>;

type LoadResult = {
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
type Progress = { over: boolean; latencies: number[]; unexpected: string | undefined };

/**
 * Closed loop: each connection sends its next request as soon as it has the response to the last one. It uses plain sockets,
 * because the client of node:http costs about as much as the server under test.
 *
 * @throws Error if a response has an unexpected status, because the rate would be meaningless
 */
export async function runLoad(
  port: number,
  requests: Requests,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const progress: Progress = { over: false, latencies: [], unexpected: undefined };
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
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
  await Promise.all(sockets.map((socket) => keepSending(socket, requests, progress))).finally(() =>
    clearTimeout(timer),
  );

  const { unexpected } = progress;
  const latencies = progress.latencies.sort((a, b) => a - b);
  if (unexpected !== undefined) throw new Error(`A response has an unexpected status: ${unexpected}`);
  return { ...result, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), responses: latencies.length };
}

/** Gives the requests in turn, then starts again from the first. */
export function* inTurn(requests: readonly LoadRequest[]): Requests {
  for (;;) yield* requests;
}

/** The bytes of a request with an API key on a kept-alive connection. */
export function encodeRequest(method: string, path: string, key: string, body = ''): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
  const entity = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${head}${body === '' ? '' : entity}\r\n${body}`);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends requests on one connection until the time is up, then waits for the last response. */
function keepSending(socket: Socket, requests: Requests, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader();
    let request = requests.next().value;
    let sentAt = performance.now();
    let finished = false;
    socket.on('data', (chunk) => {
      const response = reader.read(chunk);
      if (response === undefined) return;
      if (response.status !== request.status) progress.unexpected ??= response.text();
      const now = performance.now();
      progress.latencies.push(now - sentAt);
      finished = progress.over;
      if (finished) return void socket.end();
      request = requests.next().value;
      sentAt = now;
      socket.write(request.bytes);
    });
    socket.on('error', reject);
    socket.on('close', () => (finished ? resolve() : reject(new Error('The server closed the connection.'))));
    socket.write(request.bytes);
  });
}
