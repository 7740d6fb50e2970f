import type { CountedKey } from '../quota/usage.ts';
import type { Verdict } from '../quota/verdict.ts';

/** Requests that a worker wants counted: all that came in one turn of its event loop. */
export type CountMessage = { type: 'count'; calls: CountCall[] };

/** One of them, under a number of the worker's: of a key, or of an address. */
export type CountCall = { number: number } & ({ key: CountedKey } | { address: string });

/** What came of some of them; without a verdict where the storage could not answer. */
export type CountedMessage = { type: 'counted'; verdicts: { number: number; verdict?: Verdict }[] };

/** One end of the connection between a worker and the primary process. */
export type Channel = {
  send: (message: CountMessage | CountedMessage) => void;
  /** Calls back with each message, of whatever kind. */
  listen: (listener: (message: unknown) => void) => void;
};

/** Both ends are this program: the type tells its messages from those of the libraries on the same connection. */
export function isCountMessage(message: unknown): message is CountMessage {
  return typeOf(message) === 'count';
}

export function isCountedMessage(message: unknown): message is CountedMessage {
  return typeOf(message) === 'counted';
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

/** Gathers what is to be sent in one turn of the event loop, because each message costs far more than what is in it. */
export function coalescePerTick<T>(send: (gathered: T[]) => void): (one: T) => void {
  let gathered: T[] = [];
  const flush = () => {
    const sent = gathered;
    gathered = [];
    send(sent);
  };
  return (one) => {
    if (gathered.push(one) === 1) setImmediate(flush);
  };
}
