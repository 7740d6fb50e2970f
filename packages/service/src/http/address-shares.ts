import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressSubject } from '../rate-limit/addresses.ts';
import type { Connection } from './connection.ts';

/** The addresses of this machine. A proxy may run on it, and then each connection from it may be of a different caller. */
const ownAddress = /^(::ffff:)?127\.0\.0\.1$|^::1$/i;

/** The open connections by the address they come from, of IPv6 by /64, to share a full server between addresses. */
export class AddressShares {
  readonly #byAddress = new Map<string, Set<Socket>>();
  /** The connections of the address that holds the most; undefined until it is needed again. */
  #largest: Set<Socket> | undefined;

  readonly #limit: number;
  readonly #open: ReadonlyMap<Duplex, Connection>;
  /** The number of connections, new or idle, that were closed because the server was full. */
  refused = 0;

  /** @param limit the most connections */
  constructor(limit: number, open: ReadonlyMap<Duplex, Connection>) {
    this.#limit = limit;
    this.#open = open;
  }

  /** Counts a new connection until it closes. Returns false if the server is full, and has no connection to close for it. */
  admit(newcomer: Socket): boolean {
    if (this.#open.size >= this.#limit) {
      this.refused += 1;
      const idle = this.#takeFor(newcomer);
      if (idle === undefined) return false;
      idle.destroy();
    }
    this.#add(newcomer);
    return true;
  }

  #add(socket: Socket): void {
    const address = addressOf(socket);
    if (address === undefined) return;
    const share = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, share.add(socket));
    if (this.#largest !== undefined && share.size > this.#largest.size) this.#largest = share;
    socket.once('close', () => {
      this.#remove(socket, share);
      if (share.size === 0 && this.#byAddress.get(address) === share) this.#byAddress.delete(address);
    });
  }

  /**
   * Chooses the connection to close for a new one, and no longer counts it: the longest idle one of the address that holds the
   * most. Undefined if none is idle, or if that address holds at most one more than the address of the new one, because they
   * would only exchange their roles.
   */
  #takeFor(newcomer: Socket): Socket | undefined {
    for (const share of this.#largest === undefined ? this.#byAddress.values() : []) {
      if (this.#largest === undefined || share.size > this.#largest.size) this.#largest = share;
    }
    const largest = this.#largest;
    const share = this.#byAddress.get(addressOf(newcomer) ?? '');
    if (largest === undefined || largest.size <= (share?.size ?? 0) + 1) return undefined;
    let longest: Socket | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const socket of largest) {
      const connection = this.#open.get(socket);
      if (connection === undefined || connection.isSending || connection.since >= earliest) continue;
      longest = socket;
      earliest = connection.since;
    }
    if (longest !== undefined) this.#remove(longest, largest);
    return longest;
  }

  #remove(socket: Socket, share: Set<Socket>): void {
    share.delete(socket);
    if (share === this.#largest) this.#largest = undefined;
  }
}

/** Undefined for this machine, and for a connection that its caller has already reset. */
function addressOf({ remoteAddress }: Socket): string | undefined {
  return remoteAddress === undefined || ownAddress.test(remoteAddress) ? undefined : addressSubject(remoteAddress);
}
