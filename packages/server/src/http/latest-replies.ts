import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Latest = { response: ServerResponse; since: number };

/** The latest reply of each open connection: one entry each, however many requests come over it. */
export class LatestReplies {
  readonly #ofConnection = new Map<Duplex, Latest>();

  /** @param server whose requests are noted from now on, before anybody else sees them */
  constructor(server: Server) {
    const note: RequestListener = (request, response) => {
      this.#ofConnection.set(request.socket, { response, since: performance.now() });
    };
    // A request with `Expect` comes by an event of its own.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, note);
    server.on('connection', (socket: Duplex) => socket.once('close', () => this.#ofConnection.delete(socket)));
  }

  of(connection: Duplex): ServerResponse | undefined {
    return this.#ofConnection.get(connection)?.response;
  }

  /** The connections whose latest reply is not taken by its caller, although it was asked for that long ago. */
  *late(milliseconds: number): Generator<Duplex> {
    const latest = performance.now() - milliseconds;
    for (const [connection, { response, since }] of this.#ofConnection) {
      if (since <= latest && !response.writableFinished) yield connection;
    }
  }
}
