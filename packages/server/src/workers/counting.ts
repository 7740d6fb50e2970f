import type { Limiter } from '../limiter/limiter.ts';
import type { CountedKey } from '../quota/quota.ts';
import type { Verdict } from '../quota/verdict.ts';
import { StorageUnavailableError } from '../storage/storage.ts';

/** Requests that a worker wants counted: all that came in one turn of its event loop. */
type CountMessage = { type: 'count'; calls: CountCall[] };

/** One of them, under a number of the worker's: of a key, or of an address. */
type CountCall = { number: number } & ({ key: CountedKey } | { address: string });

/** What came of some of them; without a verdict when the storage could not answer. */
type CountedMessage = { type: 'counted'; verdicts: { number: number; verdict?: Verdict }[] };

/** One end of the connection between a worker and the primary process. */
export type Channel = {
  send: (message: CountMessage | CountedMessage) => void;
  /** Calls back with each message, of whatever kind. */
  listen: (listener: (message: unknown) => void) => void;
};

type Unnumbered<Call> = Call extends unknown ? Omit<Call, 'number'> : never;

/** A worker's limiter: the primary process counts for all workers, so that each quota is counted in one place. */
export function createPrimaryLimiterClient(channel: Channel): Limiter {
  const waiting = new Map<number, PromiseWithResolvers<Verdict>>();
  const send = coalescePerTick<CountCall>((calls) => channel.send({ type: 'count', calls }));
  let last = 0;

  channel.listen((message) => {
    if (!isCountedMessage(message)) return;
    for (const { number, verdict } of message.verdicts) {
      const request = waiting.get(number);
      waiting.delete(number);
      if (verdict !== undefined) request?.resolve(verdict);
      else request?.reject(new StorageUnavailableError(new Error('The primary process could not save a ban.')));
    }
  });

  function count(call: Unnumbered<CountCall>): Promise<Verdict> {
    last += 1;
    const request = Promise.withResolvers<Verdict>();
    waiting.set(last, request);
    send({ ...call, number: last });
    return request.promise;
  }

  return {
    countKey: ({ id, plan, perMinute, perDay }) => count({ key: { id, plan, perMinute, perDay } }),
    countAddress: (address) => count({ address }),
    // The primary process saves what it counts.
    flush: async () => {},
  };
}

/** The other end: counts what a worker asks for. A ban that is being saved holds up no other call. */
export function handleWorkerRequests(limiter: Limiter, channel: Channel): void {
  const answer = coalescePerTick<CountedMessage['verdicts'][number]>((verdicts) =>
    channel.send({ type: 'counted', verdicts }),
  );

  async function count(call: CountCall): Promise<void> {
    const { number } = call;
    try {
      const counted = 'key' in call ? limiter.countKey(call.key) : limiter.countAddress(call.address);
      answer({ number, verdict: await counted });
    } catch {
      answer({ number });
    }
  }

  channel.listen((message) => {
    if (!isCountMessage(message)) return;
    for (const call of message.calls) void count(call);
  });
}

/** Both ends are this program: the type tells its messages from those of the libraries on the same connection. */
export function messageType(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

function isCountMessage(message: unknown): message is CountMessage {
  return messageType(message) === 'count';
}

function isCountedMessage(message: unknown): message is CountedMessage {
  return messageType(message) === 'counted';
}

/** Sends together what comes in one turn of the event loop, because a message costs far more than what is in it. */
function coalescePerTick<T>(send: (batch: T[]) => void): (one: T) => void {
  let batch: T[] = [];
  const flush = () => {
    const sent = batch;
    batch = [];
    send(sent);
  };
  return (one) => {
    if (batch.push(one) === 1) setImmediate(flush);
  };
}
