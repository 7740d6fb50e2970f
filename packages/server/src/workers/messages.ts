import type { CountedKey } from '../quota/usage.ts';
import type { Verdict } from '../quota/verdict.ts';

/** Requests of a worker to be counted: all that arrived in one turn of its event loop. */
export type CountMessage = { type: 'count'; calls: CountCall[] };

/** A request with a key or from an address, and the number by which the worker recognises its verdict. */
export type CountCall = { number: number } & ({ key: CountedKey } | { address: string });

/** Some of their verdicts; a missing one means that the storage is unavailable. */
export type CountedMessage = { type: 'counted'; verdicts: { number: number; verdict?: Verdict }[] };

/** One end of the connection between a worker and the primary process. */
export type Channel = {
  /**
   * Sends a message. Never throws: calls `onFailure` if the message cannot be sent, now or later.
   */
  send: (message: CountMessage | CountedMessage, onFailure: (error: unknown) => void) => void;
  /** Registers a listener for every message, of any kind. */
  listen: (listener: (message: unknown) => void) => void;
};

/** A process at the other end of an IPC connection: `worker.process` in the primary process, `process` in a worker. */
export interface IpcPeer {
  send?: ((message: object, callback: (error: Error | null) => void) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A channel over Node's IPC. The other process may end at any time, which fails a message but never this process. */
export function ipcChannel(peer: IpcPeer): Channel {
  return {
    send(message, onFailure) {
      try {
        // Without a callback, Node would emit EPIPE and ERR_IPC_CHANNEL_CLOSED as an 'error' event.
        peer.send?.(message, (error) => {
          if (error !== null) onFailure(error);
        });
      } catch (error) {
        onFailure(error);
      }
    },
    listen: (listener) => void peer.on('message', listener),
  };
}

/** Both processes run this program, so the type is enough to tell its messages from those of libraries. */
export function isCountMessage(message: unknown): message is CountMessage {
  return typeOf(message) === 'count';
}

export function isCountedMessage(message: unknown): message is CountedMessage {
  return typeOf(message) === 'counted';
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

/** Sends the items of one turn of the event loop together, because a message costs far more than an item in it. */
export function coalescePerTick<T>(send: (items: T[]) => void): (item: T) => void {
  let items: T[] = [];
  const flush = () => {
    const batch = items;
    items = [];
    send(batch);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(flush);
  };
}
