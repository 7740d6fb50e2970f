import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Latest = { response: ServerResponse; since: number };

/** The latest response of each open connection: one entry each, however many requests come over it. */
export class InFlightResponses {
  readonly #ofConnection = new Map<Duplex, Latest>();

  /** Notes a response when it begins, before anybody else sees its request. */
  readonly note = (response: ServerResponse): void => {
    const { socket } = response.req;
    const latest = this.#ofConnection.get(socket);
    if (latest === undefined) {
      this.#ofConnection.set(socket, { response, since: performance.now() });
      socket.once('close', () => this.#ofConnection.delete(socket));
      return;
    }
    latest.response = response;
    latest.since = performance.now();
  };

  of(connection: Duplex): ServerResponse | undefined {
    return this.#ofConnection.get(connection)?.response;
  }

  /** The connections whose latest response is not taken by its caller, although it was asked for that long ago. */
  *late(milliseconds: number): Generator<Duplex> {
    const latest = performance.now() - milliseconds;
    for (const [connection, { response, since }] of this.#ofConnection) {
      if (since <= latest && !response.writableFinished) yield connection;
    }
  }
}
