import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeGently, cutOff } from './close-gently.ts';
import { Drain } from './drain.ts';
import { noteMalformed } from './message.ts';
import { isStreaming } from './stream.ts';

export type ConnectionTimeouts = {
  /** Milliseconds from the request's headers until the caller must have read the whole response. */
  response: number;
  /** Milliseconds for which an idle connection may still send one more request after the server begins to stop. */
  lastRequest: number;
};

export type ConnectionLimits = {
  timeouts: ConnectionTimeouts;
  largeBody: number;
};

/** If more pipelined requests of a connection wait, no more are read from it. Node has then parsed up to 1,700 in a chunk. */
const FLOOD = 16;

export class Connection {
  /** The response to the latest request. With pipelining, earlier responses may still be in progress. */
  response: ServerResponse | undefined = undefined;
  /** `performance.now()` when it opened, when the headers of that request had arrived, or when the last waiting request started. */
  since = performance.now();
  #isClosing = false;
  /** The number of pipelined requests that wait for the responses before theirs. */
  #waiting = 0;
  /** Whether Node parses the input: not after CONNECT or malformed input. */
  hasParser = true;

  /** Whether the connection closes after the response to the latest request, so that later requests on it are not processed. */
  get isClosing(): boolean {
    const { response } = this;
    return this.#isClosing || (response?.headersSent === true && !response.shouldKeepAlive);
  }

  /** Whether the latest response is not yet written, or not yet sent to the caller. */
  get isSending(): boolean {
    return this.response !== undefined && !this.response.writableFinished;
  }

  /**
   * Starts a pipelined request after the response before it: responses that the caller does not read would otherwise fill the memory
   * (decision 44). While many requests wait, no more are read.
   */
  startAfter(before: ServerResponse, socket: Socket, start: () => void): void {
    this.#waiting += 1;
    this.#pauseIfFlooded(socket);
    before.once('close', () => {
      this.#waiting -= 1;
      this.since = performance.now();
      this.#pauseIfFlooded(socket);
      // The body of the latest request is still read, because the time for it is limited.
      const mayRead = this.#waiting === 0 || this.response?.req.complete === false;
      if (mayRead && this.hasParser) socket.resume();
      // A response may end its connection, such as a stream over HTTP/1.0.
      if (before.writableFinished && socket.writable) start();
    });
  }

  /** On the next tick, because Node resumes the socket when it has parsed a request, and after each response. */
  #pauseIfFlooded(socket: Socket): void {
    if (this.#waiting <= FLOOD) return;
    process.nextTick(() => {
      if (this.#waiting > FLOOD) socket.pause();
    });
  }

  closeAfterResponse(): void {
    this.#isClosing = true;
    if (this.response !== undefined) this.response.shouldKeepAlive = false;
  }

  /** Keeps the connection only if the app reads the body to its end. The server does not read the rest of a large body. */
  closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    request.once('end', () => {
      if (!this.#isClosing) response.shouldKeepAlive = shouldKeepAlive;
    });
  }

  /** When the next request arrives, the body of the previous one is complete, whether or not the app has read it. */
  keepForNextRequest(): void {
    if (this.response?.headersSent === false) this.response.shouldKeepAlive = true;
  }

  /** Ignores all further input, because it cannot be parsed. Returns false if the connection was already closing. */
  endInput(socket: Duplex): boolean {
    this.stopParsing(socket);
    if (this.isClosing) return false;
    this.#isClosing = true;
    return true;
  }

  /** Passes no more input to the parser, which Node may have given to another connection. */
  stopParsing(socket: Duplex): void {
    this.hasParser = false;
    socket.removeAllListeners('data');
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The open connections of a server, which decide when to close one. Node carries out the decision: if `shouldKeepAlive` is false, it sends `Connection: close` with the response and then closes the connection.
 */
export class Connections {
  readonly #server: Server;
  readonly #largeBody: number;
  readonly #open = new Map<Duplex, Connection>();
  readonly drain: Drain;
  /** The number of connections that were closed because of the limit on connections. */
  readonly refused = { connections: 0 };

  constructor(server: Server, { timeouts, largeBody }: ConnectionLimits) {
    this.#server = server;
    this.#largeBody = largeBody;
    this.drain = new Drain(server, this.#open, timeouts.lastRequest);
    server.on('connection', (socket) => this.#track(socket));
    server.on('drop', () => {
      this.refused.connections += 1;
    });
    this.#limitResponseTimes(timeouts.response);
  }

  get open(): number {
    return this.#open.size;
  }

  /** Handles a request once the responses before it have been sent, and not at all if the connection closes before. */
  accept(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    const connection = this.of(request.socket);
    // Node parses the rest of a chunk even if its connection was closed in the meantime.
    if (connection.isClosing || request.socket.destroyed) return;
    connection.keepForNextRequest();
    const { response: before } = connection;
    connection.response = response;
    connection.since = performance.now();
    if (noteMalformed(request) || this.drain.isAnnounced) {
      connection.closeAfterResponse();
    } else if (hasLargeBody(request, this.#largeBody)) {
      connection.closeUnlessRead(request, response);
    }
    if (before === undefined || before.writableFinished) handle(request, response);
    else connection.startAfter(before, request.socket, () => handle(request, response));
  }

  of(socket: Duplex): Connection {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection();
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      cutOff(connection.response?.req);
    });
    return connection;
  }

  #track(socket: Socket): void {
    this.drain.accepted += 1;
    this.of(socket);
    // Node calls destroySoon after the last response. Its own would reset the connection if the client is still sending.
    socket.destroySoon = () => closeGently(socket);
  }

  /** Node would wait forever for a client that does not read its response, and keep that response in memory. */
  #limitResponseTimes(timeout: number): void {
    const destroyLate = () => {
      const latest = performance.now() - timeout;
      for (const [socket, connection] of this.#open) {
        if (!isStreaming(socket) && connection.since <= latest && connection.isSending) socket.destroy();
      }
    };
    // One timer for all connections costs less than a timer for each.
    const timer = setInterval(destroyLate, Math.min(1_000, timeout / 2)).unref();
    this.#server.on('close', () => clearInterval(timer));
  }
}

function hasLargeBody({ headers }: IncomingMessage, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > bytes;
}
