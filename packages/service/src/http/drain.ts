import type { Server } from 'node:http';
import { Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { stopStream } from './stream.ts';

/** Milliseconds between two checks for idle connections while the server drains. */
const SWEEP = 20;

/** How a server stops: it announces the end to its clients, accepts no more connections, and closes each one once it is idle. */
export class Drain {
  readonly #server: Server;
  readonly #open: ReadonlyMap<Duplex, Connection>;
  readonly #lastRequest: number;
  accepted = 0;
  isAnnounced = false;
  #closed: Promise<void> | undefined;

  constructor(server: Server, open: ReadonlyMap<Duplex, Connection>, lastRequest: number) {
    this.#server = server;
    this.#open = open;
    this.#lastRequest = lastRequest;
  }

  /** From now on each connection closes after its next response, or after its latest one if that is in progress. */
  announce(): void {
    this.isAnnounced = true;
    for (const [socket, connection] of this.#open) {
      stopStream(socket);
      const isUnderWay = connection.response?.headersSent === false;
      if (isUnderWay && !connection.isClosing) connection.closeAfterResponse();
    }
  }

  /** Stops accepting connections. Accepts those in the backlog first, because the operating system would reset them. */
  async #stopListening(): Promise<void> {
    for (let left = this.#server.maxConnections; left > 0; left -= 1) {
      const before = this.accepted;
      // At least one full turn of the event loop, which accepts one connection.
      await setImmediate();
      await setImmediate();
      if (this.accepted === before) break;
    }
    // `close` of the HTTP server would also close idle connections, whose next request may already be in transit.
    this.#closed = new Promise((resolve) => TcpServer.prototype.close.call(this.#server, () => resolve()));
  }

  /** Closes each connection once it is idle, and destroys the rest after `deadline` milliseconds. */
  async finish(deadline: number): Promise<void> {
    // Before connections close: clients reconnect at once, and must not reach this server again.
    if (this.#closed === undefined) await this.#stopListening();
    this.announce();
    const startedAt = performance.now();
    const grace = Math.min(this.#lastRequest, deadline);
    const closeIdle = () => {
      if (performance.now() - startedAt >= grace) this.#closeIdle();
    };
    closeIdle();
    const sweep = setInterval(closeIdle, SWEEP);
    // Not `closeAllConnections`, which misses the sockets that CONNECT or Upgrade detached from the parser.
    const forceClose = setTimeout(() => {
      for (const socket of this.#open.keys()) socket.destroy();
    }, deadline);
    await this.#closed;
    clearInterval(sweep);
    clearTimeout(forceClose);
    // The responses that were cut off are still to be logged.
    await setImmediate();
    await setImmediate();
    // Stops the timers of the HTTP server.
    this.#server.close();
  }

  /**
   * Only Node knows whether a request has begun to arrive. But it considers a response sent as soon as it is written, and would cut it off.
   * So while any response is in progress, idle connections stay open, and may send one more request.
   */
  #closeIdle(): void {
    if (![...this.#open.values()].some(({ isSending }) => isSending)) this.#server.closeIdleConnections();
    for (const [socket, { response }] of this.#open) {
      // Node treats a connection that has not sent a request yet as active, so `closeIdleConnections` skips it.
      if (response === undefined && socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    }
  }
}
