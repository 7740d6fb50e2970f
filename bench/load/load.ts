import { connect, type Socket } from 'node:net';
import { quantile } from '../figures/statistics.ts';
import { ReplyReader } from './reply-reader.ts';

/** A request as it goes over the wire, and the status that it is to be answered with; where none is said, any 2xx. */
export type Ask = { bytes: Buffer; status?: number };

/** Who is asked, and what: whatever connection is free takes the next request; undefined when all has been asked. */
export type Load = {
  port: number;
  next: () => Ask | undefined;
  /** The part of the replies that may have another status: where a window of a quota may end during a measure. */
  tolerance?: number;
};

export type LoadResult = {
  /** Replies per second. */
  rate: number;
  /** Milliseconds between a request and its reply. */
  p50: number;
  p99: number;
  /** All replies, with those to what was under way at the end. */
  replies: number;
  /** Bytes of all replies. */
  bytes: number;
  /** The part of the time in which the load itself was busy; near 1 it is the load that was measured. */
  busy: number;
};

type LoadOptions = { connections: number; seconds: number };

/** What the connections of a measure share. */
type Count = {
  over: boolean;
  replies: number;
  bytes: number;
  latencies: number[];
  unexpected: number;
  firstUnexpected: string;
};

/**
 * Closed loop: every connection sends its next request when the reply to the last one is there. Sockets instead of
 * node:http, whose client costs about as much as the server that is to be measured.
 *
 * @throws Error when replies have another status than expected: their rate would say nothing
 */
export async function putUnderLoad(load: Load, { connections, seconds }: LoadOptions): Promise<LoadResult> {
  const count: Count = { over: false, replies: 0, bytes: 0, latencies: [], unexpected: 0, firstUnexpected: '' };
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(load.port)));
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const ended = sockets.map((socket) => keepAsking(socket, load, count));
  const end = { elapsed: 0, inTime: 0, busy: 0 };
  const stopClock = () => {
    if (count.over) return;
    const { user, system } = process.cpuUsage(cpuBefore);
    count.over = true;
    end.elapsed = performance.now() - startedAt;
    end.inTime = count.replies;
    end.busy = (user + system) / 1_000 / end.elapsed;
  };
  const deadline = setTimeout(stopClock, seconds * 1_000);
  await Promise.all(ended).finally(() => {
    clearTimeout(deadline);
    stopClock();
  });
  if (count.unexpected > count.replies * (load.tolerance ?? 0)) {
    throw new Error(`The server answered ${count.unexpected} times otherwise than expected: ${count.firstUnexpected}`);
  }
  const latencies = count.latencies.sort((a, b) => a - b);
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  const { replies, bytes } = count;
  return { rate: end.inTime / (end.elapsed / 1_000), p50, p99, replies, bytes, busy: end.busy };
}

/** The same request again and again. */
export function measureRate(
  { port, bytes }: { port: number; bytes: Buffer },
  options: LoadOptions,
): Promise<LoadResult> {
  return putUnderLoad({ port, next: inTurn([{ bytes }]) }, options);
}

/**
 * One request after the other, and again from the first.
 * @throws Error when there is none
 */
export function inTurn(asks: readonly Ask[]): () => Ask {
  const [first] = asks;
  if (first === undefined) throw new Error('There is nothing to ask.');
  let index = 0;
  return () => {
    const ask = asks[index] ?? first;
    index = (index + 1) % asks.length;
    return ask;
  };
}

/** The bytes of a request; its connection stays open. */
export function requestBytes(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== '') lines.push(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n${body}`);
}

/** A connection that stands. */
function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Asks on one connection until the time is over or all has been asked; then it takes the last reply and hangs up. */
function keepAsking(socket: Socket, { next }: Load, count: Count): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = new ReplyReader();
    let asked: Ask | undefined;
    let askedAt = 0;
    const askNext = (now: number) => {
      asked = count.over ? undefined : next();
      if (asked === undefined) return void socket.end();
      askedAt = now;
      socket.write(asked.bytes);
    };
    socket.on('data', (chunk) => {
      const reply = reader.read(chunk);
      if (reply === undefined) return;
      if (!isExpected(reply.status, asked)) noteUnexpected(count, reply.text());
      count.replies += 1;
      count.bytes += reply.length;
      const now = performance.now();
      count.latencies.push(now - askedAt);
      askNext(now);
    });
    socket.on('error', reject);
    socket.on('close', () => (asked === undefined ? resolve() : reject(new Error('The server hung up.'))));
    askNext(performance.now());
  });
}

function isExpected(status: number, asked: Ask | undefined): boolean {
  return asked?.status === undefined ? status >= 200 && status < 300 : status === asked.status;
}

function noteUnexpected(count: Count, text: string): void {
  if (count.unexpected === 0) count.firstUnexpected = text;
  count.unexpected += 1;
}
