import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AddressShares } from './address-shares.ts';
import { closeGently, closeOf, sent } from './close-gently.ts';
import { isMalformed } from './message.ts';
import { PipelinedRequests, type WaitingRequest } from './pipelining.ts';

export type ConnectionTimeouts = {
  /** Milliseconds from the request's headers until the caller must have read the whole response. */
  response: number;
  /** Milliseconds for which an idle connection may still send one more request after the server begins to stop. */
  lastRequest: number;
};

export type ConnectionLimits = {
  timeouts: ConnectionTimeouts;
  /** The most bytes of a body of most operations. */
  largeBody: number;
  /** The most connections, shared between addresses; undefined if the server limits them, regardless of address. */
  limit?: number | undefined;
};

/** The state of a connection. */
export class Connection {
  /** The response to the latest request. With pipelining, earlier responses may still be in progress. */
  response: ServerResponse | undefined = undefined;
  /** The response before that one. */
  before: ServerResponse | undefined = undefined;
  /** The requests that wait for the responses before theirs. */
  readonly queue: WaitingRequest[] = [];
  /** `performance.now()` when it opened, when the headers of that request had arrived, or when the last waiting request started. */
  since = performance.now();
  /** Whether the connection closes after that response, so that later requests on it are not processed. */
  isClosing = false;
  /** Whether Node parses the input: not after an Upgrade header until it is ignored, nor after CONNECT or malformed input. */
  hasParser = true;
  /** Whether its input is parsed in pieces. */
  isInPieces = false;
  /** If it is parsed in pieces, what follows the piece that Node parses now. */
  rest: Buffer | undefined = undefined;

  /** Whether a request waits. The body of the latest request is still read, because the time for it is limited. */
  get isBlocked(): boolean {
    return this.queue.length > 0 && this.response?.req.complete !== false;
  }

  /** Whether it sends no response, and Node reads its input. */
  get isIdle(): boolean {
    return this.hasParser && !isClosing(this) && !isSending(this);
  }

  /** Passes no more input to the parser, which Node may have given to another connection. Returns what was not parsed yet. */
  stopParsing(socket: Duplex): Buffer {
    const { rest = Buffer.alloc(0) } = this;
    this.rest = undefined;
    this.hasParser = false;
    this.isInPieces = false;
    socket.removeAllListeners('data');
    return rest;
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The most connections that wait to be accepted: Node's default. */
const BACKLOG = 511;

/** Milliseconds between two checks for idle connections while the server drains. */
const SWEEP = 20;

/**
 * The open connections of a server, which decide when to close one, except in a flood of pipelined requests. Node carries out the
 * decision: if `shouldKeepAlive` is false, it sends `Connection: close` with the response and then closes the connection.
 */
export class Connections {
  readonly #server: Server;
  readonly #timeouts: ConnectionTimeouts;
  readonly #largeBody: number;
  readonly #shares: { limit: number; byAddress: AddressShares } | undefined;
  readonly #open = new Map<Duplex, Connection>();
  readonly #pipelined = new PipelinedRequests(this.#open);
  #accepted = 0;
  #refused = 0;
  #isDraining = false;
  #closed: Promise<void> | undefined;

  constructor(server: Server, { timeouts, largeBody, limit }: ConnectionLimits) {
    this.#server = server;
    this.#timeouts = timeouts;
    this.#largeBody = largeBody;
    this.#shares = limit === undefined ? undefined : { limit, byAddress: new AddressShares() };
    server.on('connection', (socket) => this.#track(socket));
    server.on('upgrade', (request, socket, rest) => void this.#ignoreUpgrade(request, socket, rest));
    server.on('drop', () => {
      this.#refused += 1;
    });
    this.#limitResponseTimes(timeouts.response);
  }

  get open(): number {
    return this.#open.size;
  }

  /** The number of pipelined requests that wait for the responses before theirs. */
  get waiting(): number {
    return this.#pipelined.waiting;
  }

  /** The number of connections, new or idle, that were closed because of the limits on connections and on waiting requests. */
  get refused(): { connections: number; pipelined: number } {
    return { connections: this.#refused, pipelined: this.#pipelined.refused };
  }

  /**
   * Registers a request, and handles it once the responses before it on the same connection have been sent: responses that the
   * caller does not read would otherwise fill the memory (decision 44). Does not handle it if the connection closes before.
   */
  accept(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    const connection = this.#of(request.socket);
    // Node parses the rest of a chunk even if its connection was closed in the meantime.
    if (isClosing(connection) || request.socket.destroyed) return;
    keepForNextRequest(connection);
    const { response: before } = connection;
    connection.before = before;
    connection.response = response;
    connection.since = performance.now();
    if (isMalformed(request)) malformed.add(request);
    if (this.#isDraining || isKnownMalformed(request)) {
      this.#closeAfterResponse(connection);
    } else if (hasLargeBody(request, this.#largeBody)) {
      closeUnlessRead(connection, request, response);
    }
    if (before === undefined || before.writableFinished) handle(request, response);
    else this.#pipelined.add(connection, request.socket, { before, start: () => handle(request, response) });
  }

  /** The response to the latest request of a connection. */
  latestResponse(socket: Duplex): ServerResponse | undefined {
    return this.#open.get(socket)?.response;
  }

  /** Resolves when the request before the latest one has its response, so that the latest one is handled. */
  async turnOfLatest(socket: Duplex): Promise<void> {
    await sent(this.#open.get(socket)?.before, socket);
  }

  /** Ignores all further input, because it cannot be parsed. Returns false if the connection was already closing. */
  endInput(socket: Duplex): boolean {
    const connection = this.#of(socket);
    connection.stopParsing(socket);
    if (isClosing(connection)) return false;
    connection.isClosing = true;
    return true;
  }

  /** Closes a connection after the response to the latest request, whose body cannot be parsed. */
  closeAfterLatest(socket: Duplex): void {
    const connection = this.#of(socket);
    connection.stopParsing(socket);
    this.#closeAfterResponse(connection);
  }

  /** From now on each connection closes after its next response, or after its latest one if that is in progress. */
  announceClose(): void {
    this.#isDraining = true;
    for (const [socket, connection] of this.#open) {
      stopStream.get(socket)?.();
      const isUnderWay = connection.response?.headersSent === false;
      if (isUnderWay && !connection.isClosing) this.#closeAfterResponse(connection);
    }
  }

  /** Stops accepting connections. Accepts those in the backlog first, because the operating system would reset them. */
  async stopListening(): Promise<void> {
    for (let left = BACKLOG; left > 0; left -= 1) {
      const before = this.#accepted;
      // At least one full turn of the event loop, which accepts one connection.
      await setImmediate();
      await setImmediate();
      if (this.#accepted === before) break;
    }
    // `close` of the HTTP server would also close idle connections, whose next request may already be in transit.
    this.#closed = new Promise((resolve) => TcpServer.prototype.close.call(this.#server, () => resolve()));
  }

  /** Closes each connection once it is idle, and destroys the rest after `deadline` milliseconds. */
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

  #of(socket: Duplex): Connection {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection();
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#pipelined.drop(connection);
      cutOff(connection.response?.req);
    });
    return connection;
  }

  #track(socket: Socket): void {
    this.#accepted += 1;
    // After an Upgrade header, the same connection is announced again.
    if (!this.#open.has(socket) && !this.#admit(socket)) return void socket.destroy();
    const connection = this.#of(socket);
    connection.hasParser = true;
    this.#pipelined.watch(connection, socket);
    // Node calls destroySoon after the last response. Its own would reset the connection if the client is still sending.
    socket.destroySoon = () => closeGently(socket);
  }

  /** Returns false if the server is full, and has no connection to close for a new one. */
  #admit(newcomer: Socket): boolean {
    if (this.#shares === undefined) return true;
    const { limit, byAddress } = this.#shares;
    if (this.#open.size >= limit) {
      this.#refused += 1;
      const idle = byAddress.takeFor(newcomer, (socket) => idleSince(this.#open.get(socket)));
      if (idle === undefined) return false;
      idle.destroy();
    }
    byAddress.add(newcomer);
    return true;
  }

  #closeAfterResponse(connection: Connection): void {
    connection.isClosing = true;
    if (connection.response !== undefined) connection.response.shouldKeepAlive = false;
  }

  /**
   * Only Node knows whether a request has begun to arrive. But it considers a response sent as soon as it is written, and would cut it off.
   * So while any response is in progress, idle connections stay open, and may send one more request.
   */
  #closeIdle(): void {
    if (![...this.#open.values()].some(isSending)) this.#server.closeIdleConnections();
    for (const [socket, { response }] of this.#open) {
      // Node treats a connection that has not sent a request yet as active, so `closeIdleConnections` skips it.
      if (response === undefined && socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    }
  }

  /** Node would wait forever for a client that does not read its response, and keep that response in memory. */
  #limitResponseTimes(timeout: number): void {
    const destroyLate = () => {
      const latest = performance.now() - timeout;
      for (const [socket, connection] of this.#open) {
        if (!stopStream.has(socket) && connection.since <= latest && isSending(connection)) socket.destroy();
      }
    };
    // One timer for all connections costs less than a timer for each.
    const timer = setInterval(destroyLate, Math.min(1_000, timeout / 2)).unref();
    this.#server.on('close', () => clearInterval(timer));
  }

  /**
   * Ignores an Upgrade header, as RFC 9110 7.8 allows. With an 'upgrade' listener, Node detaches the socket from its parser
   * and passes on the bytes after the headers; without one, it would drop them. The request is then parsed again without
   * the header.
   */
  async #ignoreUpgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void> {
    const connection = this.#of(socket);
    const unparsed = connection.stopParsing(socket);
    const { response } = connection;
    // Node has removed its own error listener, and an unhandled 'error' event would end the process.
    socket.on('error', ignore);
    if (isClosing(connection)) return;
    keepForNextRequest(connection);
    // Immediately, before the end of the caller's side is noticed.
    socket.unshift(Buffer.concat([headersWithoutUpgrade(request), rest, unparsed]));
    if (response !== undefined && !response.destroyed) await closeOf(response, socket);
    if (socket.destroyed || isClosing(connection)) return;
    socket.off('error', ignore);
    // Clears the keep-alive timeout that Node set after the last response.
    if (socket instanceof Socket) socket.setTimeout(0);
    this.#server.emit('connection', socket);
    if (socket.isPaused()) socket.resume();
  }
}

const ignore = () => {};

/** Whether the connection closes after the response to the latest request. */
function isClosing({ isClosing, response }: Connection): boolean {
  return isClosing || (response?.headersSent === true && !response.shouldKeepAlive);
}

const malformed = new WeakSet<IncomingMessage>();

/** Whether an accepted request was found to be ambiguous. */
export function isKnownMalformed(request: IncomingMessage): boolean {
  return malformed.has(request);
}

/** How to end the streamed response that a connection sends. */
const stopStream = new WeakMap<Duplex, () => void>();

export type StreamOptions = {
  /** Asks the stream to end, because the server stops. */
  stop: () => void;
  /** Whether a caller that closes its side of the connection counts as disconnected, although it could still read. */
  leavesWithEnd: boolean;
};

/**
 * Registers a streamed response. The limit on the response time does not hold for a connection while it sends one: the stream
 * has a limit on each wait for the caller.
 */
export function registerStream(response: ServerResponse, { stop, leavesWithEnd }: StreamOptions): void {
  const { socket } = response;
  // The caller is gone: a request starts only after the responses before it, so its response has the socket until it closes.
  if (socket === null) return;
  stopStream.set(socket, stop);
  const leave = () => response.destroy();
  if (leavesWithEnd) socket.once('end', leave);
  response.once('close', () => {
    socket.off('end', leave);
    stopStream.delete(socket);
  });
}

/** Ends a request that waits for the rest of its body: Node forgets it once it has a response. */
function cutOff(request: IncomingMessage | undefined): void {
  if (request === undefined || request.complete || request.destroyed) return;
  request.destroy(
    Object.assign(new Error('The connection closed before the body was complete.'), { code: 'ECONNRESET' }),
  );
}

/** Whether the latest response is not yet written, or not yet sent to the caller. */
function isSending({ response }: Connection): boolean {
  return response !== undefined && !response.writableFinished;
}

/** When the latest request arrived, or the connection opened; undefined until the response has been sent. */
function idleSince(connection: Connection | undefined): number | undefined {
  return connection === undefined || isSending(connection) ? undefined : connection.since;
}

/** Whether a body may be larger than the limit of most operations. */
function hasLargeBody({ headers }: IncomingMessage, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > bytes;
}

/** Keeps the connection only if the app reads the body to its end. The server does not read the rest of a large body. */
function closeUnlessRead(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  request.once('end', () => {
    if (!connection.isClosing) response.shouldKeepAlive = shouldKeepAlive;
  });
}

/** When the next request arrives, the body of the previous one is complete, whether or not the app has read it. */
function keepForNextRequest({ response }: Connection): void {
  if (response?.headersSent === false) response.shouldKeepAlive = true;
}

function headersWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${rawHeaders[index + 1]}\r\n`;
  }
  // Node decodes headers as latin1.
  return Buffer.from(`${text}\r\n`, 'latin1');
}
