import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';

/** If more pipelined requests of a connection wait, this is a flood. For some time after one, new connections are parsed in pieces. */
const FLOOD = 16;
const FLOOD_TIME = 60_000;

/**
 * The most pipelined requests that wait for the responses before theirs, on all connections: about 10 MB. Above it, a connection
 * that is not parsed in pieces and floods is closed.
 */
export const MAX_WAITING = 2_000;

/** About 20 of the shortest requests. */
const PIECE = 512;

/** Ends the headers of a request. */
const BLANK_LINE = '\r\n\r\n';

/** A request that waits for the response before it. */
export type WaitingRequest = { before: ServerResponse; start: () => void };

/**
 * The pipelined requests of all connections. They start one after another: responses that the caller does not read would otherwise
 * fill the memory (decision 44).
 */
export class PipelinedRequests {
  readonly #open: ReadonlyMap<Duplex, Connection>;
  /** When the last flood is forgotten, by `performance.now()`. */
  #floodUntil = 0;
  /** The number of requests that wait on all connections. */
  waiting = 0;
  /** The number of connections that were closed because too many requests wait. */
  refused = 0;

  constructor(open: ReadonlyMap<Duplex, Connection>) {
    this.#open = open;
  }

  /** Parses the input of a new connection in pieces, for some time after a flood. */
  watch(connection: Connection, socket: Socket): void {
    if (performance.now() < this.#floodUntil) parseInPieces(socket, connection);
  }

  /** Drops the waiting requests of a connection that has closed. */
  drop({ queue }: Connection): void {
    this.waiting -= queue.length;
    queue.length = 0;
  }

  /** Starts a pipelined request after the response before it. While many wait, no more are read. */
  add(connection: Connection, socket: Socket, waiting: WaitingRequest): void {
    const { queue } = connection;
    queue.push(waiting);
    this.waiting += 1;
    if (queue.length === 1) this.#startNext(connection, socket, waiting);
    if (connection.isInPieces || queue.length <= FLOOD) return;
    if (queue.length === FLOOD + 1) {
      this.#noteFlood();
      pauseDuringFlood(connection, socket);
    }
    if (this.waiting <= MAX_WAITING) return;
    this.refused += 1;
    socket.destroy();
  }

  #startNext(connection: Connection, socket: Socket, { before, start }: WaitingRequest): void {
    before.once('close', () => {
      const { queue } = connection;
      // The socket closed.
      if (queue.length === 0) return;
      queue.shift();
      this.waiting -= 1;
      connection.since = performance.now();
      const [next] = queue;
      if (next !== undefined) this.#startNext(connection, socket, next);
      if (!connection.isInPieces && queue.length > FLOOD) pauseDuringFlood(connection, socket);
      else if (connection.hasParser && !connection.isBlocked) socket.resume();
      // A response may end its connection, such as a stream over HTTP/1.0.
      if (before.writableFinished && socket.writable) start();
    });
  }

  /**
   * Has the input of idle connections parsed in pieces, and that of new ones for some time. Not always, because that costs 5 % of a
   * request's time. Not of other connections, because Node may have stopped reading them, and would not start again.
   */
  #noteFlood(): void {
    this.#floodUntil = performance.now() + FLOOD_TIME;
    for (const [socket, connection] of this.#open) {
      const isReading = socket instanceof Socket && connection.isIdle && !socket.isPaused();
      if (isReading && !connection.isInPieces) parseInPieces(socket, connection);
    }
  }
}

/** On the next tick, because Node resumes the socket when it has parsed a request, and after each response. */
function pauseDuringFlood({ queue }: Connection, socket: Socket): void {
  process.nextTick(() => {
    if (queue.length > FLOOD) socket.pause();
  });
}

/**
 * Has Node parse the input of a connection in small pieces, and none while it is blocked: Node itself parses a chunk of 64 KiB, which
 * may contain 1,700 requests, before anything else can run. The caller resumes the socket when it is no longer blocked. Node must be
 * reading from the connection.
 */
export function parseInPieces(socket: Socket, input: Pick<Connection, 'isInPieces' | 'isBlocked' | 'rest'>): void {
  input.isInPieces = true;
  const parsers = socket.listeners('data');
  socket.removeAllListeners('data');
  // With a 'data' listener that is added later, Node no longer lets its parser read from the system by itself.
  socket.on('data', (chunk: Buffer) => {
    const end = endOfPiece(chunk);
    input.rest = end < chunk.length ? chunk.subarray(end) : undefined;
    for (const parse of parsers) Reflect.apply(parse, socket, [chunk.subarray(0, end)]);
    const { rest, isBlocked } = input;
    if (rest === undefined && !isBlocked) return;
    input.rest = undefined;
    // Node pauses a socket whose body or responses are not read, and resumes it.
    const mayContinue = !isBlocked && !socket.isPaused();
    socket.pause();
    if (rest !== undefined) socket.unshift(rest);
    if (mayContinue) socket.resume();
  });
}

/**
 * The first end of headers after so many bytes, or else the last one, or else the end of the chunk. The parser then never waits for
 * the rest of headers while the connection is blocked: the time for them is limited.
 */
function endOfPiece(chunk: Buffer): number {
  const next = chunk.indexOf(BLANK_LINE, PIECE - BLANK_LINE.length);
  const end = next === -1 ? chunk.lastIndexOf(BLANK_LINE) : next;
  return end === -1 ? chunk.length : end + BLANK_LINE.length;
}
