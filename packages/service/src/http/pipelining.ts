import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';

/** If more pipelined requests of a connection wait, no more are read from it. Node has then parsed up to 1,700 in a chunk. */
const FLOOD = 16;

/**
 * The most pipelined requests that wait for the responses before theirs, on all connections: about 10 MB. Above it, a connection
 * that floods is closed.
 */
export const MAX_WAITING = 2_000;

/** A request that waits for the response before it. */
export type WaitingRequest = { before: ServerResponse; start: () => void };

/**
 * The pipelined requests of all connections. They start one after another: responses that the caller does not read would otherwise
 * fill the memory (decision 44).
 */
export class PipelinedRequests {
  /** The number of requests that wait on all connections. */
  waiting = 0;
  /** The number of connections that were closed because too many requests wait. */
  refused = 0;

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
    if (queue.length <= FLOOD) return;
    if (queue.length === FLOOD + 1) pauseDuringFlood(connection, socket);
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
      if (queue.length > FLOOD) pauseDuringFlood(connection, socket);
      else if (connection.hasParser && !connection.isBlocked) socket.resume();
      // A response may end its connection, such as a stream over HTTP/1.0.
      if (before.writableFinished && socket.writable) start();
    });
  }
}

/** On the next tick, because Node resumes the socket when it has parsed a request, and after each response. */
function pauseDuringFlood({ queue }: Connection, socket: Socket): void {
  process.nextTick(() => {
    if (queue.length > FLOOD) socket.pause();
  });
}
