import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { limits } from '@animal-store/contract';
import { isMalformed } from './message.ts';

export type ConnectionTimeouts = {
  /** Milliseconds in which the caller must have taken its response, counted from when the headers had arrived. */
  response: number;
  /** Milliseconds in which an idle connection may send one more request once the server stops. */
  lastRequest: number;
};

type Connection = {
  /** The response to the latest request. Earlier ones may still be under way: responses keep the order of their requests. */
  response: ServerResponse | undefined;
  /** When the headers of that request had arrived, in the milliseconds of `performance.now()`. */
  since: number;
  /** Whether the connection closes after that response, so that nothing behind its request is processed. */
  isClosing: boolean;
};

/** Connections that wait to be accepted, at most: the default of Node. */
const BACKLOG = 511;

/** Milliseconds between two looks for connections at rest, while the server drains. */
const SWEEP = 20;

/** Bytes that are read and discarded after the last response: a caller may send a refused body before it reads why. */
const LINGER_BYTES = 1_048_576;
/** Milliseconds that a caller has to end its side after the last response: a few round trips, also over a slow network. */
const LINGER_TIME = 2_000;

/**
 * The open connections of a server, and the only place that decides when one of them closes. Node announces the decision
 * itself, whatever writes the response: without `shouldKeepAlive` it sends `Connection: close`, then ends the connection.
 */
export class Connections {
  readonly #server: Server;
  readonly #timeouts: ConnectionTimeouts;
  readonly #open = new Map<Duplex, Connection>();
  #accepted = 0;
  #isDraining = false;
  #closed: Promise<void> | undefined;

  constructor(server: Server, timeouts: ConnectionTimeouts) {
    this.#server = server;
    this.#timeouts = timeouts;
    server.on('connection', (socket) => this.#track(socket));
    server.on('upgrade', (request, socket, rest) => void this.#ignoreUpgrade(request, socket, rest));
    this.#limitResponseTimes(timeouts.response);
  }

  /** Notes a request as it arrives. False when it must not be processed: the connection closes after an earlier response. */
  accept(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#of(request.socket);
    if (isClosing(connection)) return false;
    keepForNextRequest(connection);
    connection.response = response;
    connection.since = performance.now();
    if (this.#isDraining || isMalformed(request) || Number(request.headers['content-length']) > limits.bodyBytes) {
      this.#closeAfterResponse(connection);
    } else if (request.headers['transfer-encoding'] !== undefined) {
      closeUnlessRead(connection, request, response);
    }
    return true;
  }

  /** The response to the latest request of a connection. */
  latestResponse(socket: Duplex): ServerResponse | undefined {
    return this.#open.get(socket)?.response;
  }

  /** Nothing that follows on this connection is processed, because it cannot be read. False when that was decided before. */
  endInput(socket: Duplex): boolean {
    const connection = this.#of(socket);
    if (isClosing(connection)) return false;
    connection.isClosing = true;
    return true;
  }

  /** Closes a connection after the response to the latest request. */
  closeAfterLatest(socket: Duplex): void {
    this.#closeAfterResponse(this.#of(socket));
  }

  /** From here on each connection closes after its next response, or after the latest one under way. */
  announceClose(): void {
    this.#isDraining = true;
    for (const connection of this.#open.values()) {
      const isUnderWay = connection.response?.headersSent === false;
      if (isUnderWay && !connection.isClosing) this.#closeAfterResponse(connection);
    }
  }

  /** Takes no new connections. The system resets those that wait to be accepted, so they are accepted first. */
  async stopListening(): Promise<void> {
    for (let left = BACKLOG; left > 0; left -= 1) {
      const before = this.#accepted;
      // At least one whole turn of the event loop, which accepts one connection.
      await setImmediate();
      await setImmediate();
      if (this.#accepted === before) break;
    }
    // The `close` of an HTTP server would also cut off idle connections, whose next request may be on its way.
    this.#closed = new Promise((resolve) => TcpServer.prototype.close.call(this.#server, () => resolve()));
  }

  /** Closes each connection when it comes to rest, and cuts off what is left after `deadline` milliseconds. */
  async drain(deadline: number): Promise<void> {
    if (this.#closed === undefined) await this.stopListening();
    this.announceClose();
    const startedAt = performance.now();
    const grace = Math.min(this.#timeouts.lastRequest, deadline);
    const closeIdle = () => {
      if (performance.now() - startedAt >= grace) this.#closeIdle();
    };
    closeIdle();
    const sweep = setInterval(closeIdle, SWEEP);
    const cut = setTimeout(() => this.#destroyAll(), deadline);
    await this.#closed;
    clearInterval(sweep);
    clearTimeout(cut);
    // Ends the timers of the HTTP server.
    this.#server.close();
  }

  #of(socket: Duplex): Connection {
    let connection = this.#open.get(socket);
    if (connection === undefined) {
      connection = { response: undefined, since: 0, isClosing: false };
      this.#open.set(socket, connection);
      socket.once('close', () => this.#open.delete(socket));
    }
    return connection;
  }

  #track(socket: Socket): void {
    this.#accepted += 1;
    this.#of(socket);
    // Node calls this after the last response. Its own would reset the connection if bytes were still on their way.
    socket.destroySoon = () => closeGently(socket);
  }

  #closeAfterResponse(connection: Connection): void {
    connection.isClosing = true;
    if (connection.response !== undefined) connection.response.shouldKeepAlive = false;
  }

  /** Only Node knows whether a request has begun to arrive, but it takes a response for sent as soon as it has been written. */
  #closeIdle(): void {
    const sending = [...this.#open].filter(([, connection]) => isSending(connection)).map(([socket]) => socket);
    for (const socket of sending) socket.destroy = () => socket;
    this.#server.closeIdleConnections();
    // Uncovers the method of the class.
    for (const socket of sending) Reflect.deleteProperty(socket, 'destroy');
    for (const [socket, { response }] of this.#open) {
      // Node takes a connection for busy from its first moment on.
      if (response === undefined && socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    }
  }

  /** Node does not know those that CONNECT or Upgrade detached from its parser. */
  #destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /** Node waits forever for a caller that does not read, and keeps what it was to read. */
  #limitResponseTimes(timeout: number): void {
    const destroyLate = () => {
      const latest = performance.now() - timeout;
      for (const [socket, connection] of this.#open) {
        if (connection.since <= latest && isSending(connection)) socket.destroy();
      }
    };
    // One look at all of them now and then costs less than a timer for each.
    const timer = setInterval(destroyLate, Math.min(1_000, timeout / 2)).unref();
    this.#server.on('close', () => clearInterval(timer));
  }

  /**
   * RFC 9110 7.8: a server may ignore Upgrade. Node's parser then drops what follows in the same piece, so it gets the request
   * a second time, without that header. With this listener, Node detaches the connection and hands over what follows the headers.
   */
  async #ignoreUpgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void> {
    const connection = this.#of(socket);
    const { response } = connection;
    // Node took its own listener away, and an error without one ends the process.
    socket.on('error', ignore);
    if (isClosing(connection)) return;
    keepForNextRequest(connection);
    // At once, so that the end of the caller's side is not noticed before it.
    socket.unshift(Buffer.concat([headersWithoutUpgrade(request), rest]));
    if (response !== undefined && !response.destroyed) await closeOf(response, socket);
    if (socket.destroyed || isClosing(connection)) return;
    socket.off('error', ignore);
    // The time-out of the idle connection that it was after the last response.
    if (socket instanceof Socket) socket.setTimeout(0);
    this.#server.emit('connection', socket);
  }
}

const ignore = () => {};

/** Whether the connection closes after the response to the latest request. */
function isClosing({ isClosing, response }: Connection): boolean {
  return isClosing || (response?.headersSent === true && !response.shouldKeepAlive);
}

/** Whether the latest response has yet to be written, or to leave for the caller. */
function isSending({ response }: Connection): boolean {
  return response !== undefined && !response.writableFinished;
}

/** Keeps the connection only if the app reads the chunks to their end: only there does the next request begin. */
function closeUnlessRead(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  request.once('end', () => {
    if (!connection.isClosing) response.shouldKeepAlive = shouldKeepAlive;
  });
}

/** The chunks before a request have come to their end once it arrives, whether or not the app has read them. */
function keepForNextRequest({ response }: Connection): void {
  if (response?.headersSent === false) response.shouldKeepAlive = true;
}

/**
 * Ends this side of a connection, and discards what the caller still sends until it ends its own side. Closed at once, the
 * system would reset the connection, and the caller might lose a response that it has not read.
 */
export function closeGently(socket: Duplex): void {
  // From here on nothing is read as HTTP.
  socket.removeAllListeners('data');
  socket.end();
  socket.resume();
  let bytes = 0;
  const discard = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > LINGER_BYTES) socket.destroy();
  };
  // Later, because it takes Node's own listeners away: the one for `resume` must first let Node read again.
  process.nextTick(() => socket.on('data', discard));
  const timer = setTimeout(() => socket.destroy(), LINGER_TIME).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Unlike `once`, it does not reject when one of them fails. */
export function closeOf(...streams: (ServerResponse | Duplex)[]): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      // A connection outlives its responses, and would collect a listener for each.
      for (const stream of streams) stream.off('close', settle);
      resolve();
    };
    for (const stream of streams) stream.on('close', settle);
  });
}

function headersWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${rawHeaders[index + 1]}\r\n`;
  }
  // As Node decodes them.
  return Buffer.from(`${text}\r\n`, 'latin1');
}
