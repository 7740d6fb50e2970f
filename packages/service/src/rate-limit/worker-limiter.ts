import { TimeoutError, timeouts, withTimeout } from '../common/time.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import type { Verdict } from './count-request.ts';
import type { CountedKey, Limiter } from './limiter.ts';

type Unnumbered<Call> = Call extends unknown ? Omit<Call, 'number'> : never;

/** Requests to count: those that reached a worker in one turn of its event loop. */
type CountMessage = { type: 'count'; calls: CountCall[] };

/** A request with a key or from an address, and the number that matches it to its verdict. */
type CountCall = { number: number } & ({ key: CountedKey } | { address: string });

/** Verdicts by number; null for a caller without a quota. An undefined verdict means that the storage is unavailable. */
type CountedMessage = { type: 'counted'; verdicts: { number: number; verdict?: PackedVerdict }[] };

/** A verdict as a list, because its names would be most of the message. */
type PackedVerdict = ReturnType<typeof packVerdict>;

/** One end of the connection between a worker and the primary process. */
export type Channel = {
  /** Sends a message. Never throws; calls `onFailure`, now or later, if the message cannot be sent. */
  send: (message: CountMessage | CountedMessage, onFailure: (error: unknown) => void) => void;
  /** Registers a listener for every message, of any kind. */
  listen: (listener: (message: unknown) => void) => void;
};

/** A process at the other end of an IPC connection: `worker.process` in the primary process, `process` in a worker. */
export interface IpcPeer {
  send?: ((message: object, callback: (error: Error | null) => void) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A channel over Node's IPC. If the other process ends, sending fails, but this process does not. */
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

/** The limiter of a worker; `ping` rejects if the primary process does not answer in time. */
export type PrimaryLimiterClient = Limiter & { ping: () => Promise<void> };

/**
 * The limiter of a worker. The primary process counts for all workers, so that each quota is counted in one place. Counting
 * rejects with a StorageUnavailableError if the primary is unreachable, does not answer in time, or cannot save a ban.
 */
export function createPrimaryLimiterClient(
  channel: Channel,
  timeoutMs: number = timeouts.primary,
): PrimaryLimiterClient {
  /** Whether the primary process has answered nothing since a call timed out. */
  let isSilent = false;
  let probing: Promise<unknown> | undefined;
  const waiting = new Map<number, PromiseWithResolvers<Verdict | undefined>>();
  let lastNumber = 0;

  const send = coalescePerTick<CountCall>((calls) =>
    channel.send({ type: 'count', calls }, (error) => {
      for (const { number } of calls) waiting.get(number)?.reject(error);
    }),
  );

  channel.listen((message) => {
    if (!isCountedMessage(message)) return;
    isSilent = false;
    for (const { number, verdict } of message.verdicts) {
      const request = waiting.get(number);
      if (verdict !== undefined) request?.resolve(unpackVerdict(verdict));
      else request?.reject(new Error('The primary process cannot save a ban.'));
    }
  });

  async function count(call: Unnumbered<CountCall>): Promise<Verdict | undefined> {
    // One call at a time finds out whether the primary process continues; the others would only wait as well.
    if (!isSilent) return countNow(call);
    if (probing !== undefined) throw unavailable(new Error('The primary process did not answer before.'));
    const probe = countNow(call).finally(() => {
      probing = undefined;
    });
    probing = probe;
    return probe;
  }

  async function countNow(call: Unnumbered<CountCall>): Promise<Verdict | undefined> {
    lastNumber += 1;
    const number = lastNumber;
    const request = Promise.withResolvers<Verdict | undefined>();
    waiting.set(number, request);
    send({ ...call, number });
    try {
      return await withTimeout(request.promise, timeoutMs);
    } catch (error) {
      if (error instanceof TimeoutError) isSilent = true;
      throw unavailable(error);
    } finally {
      waiting.delete(number);
    }
  }

  return {
    countKey: ({ id, plan, perMinute, perDay, unbannedAt }) =>
      count({ key: { id, plan, perMinute, perDay, unbannedAt } }),
    countAddress: (address) => count({ address }),
    // The primary process saves the usage.
    flush: async () => {},
    async ping() {
      if (isSilent) throw unavailable(new Error('The primary process did not answer before.'));
      await count({ address: PROBE_ADDRESS });
    },
  };
}

/** An address for documentation (RFC 5737), which no caller has. Probes count as requests from it. */
const PROBE_ADDRESS = '192.0.2.0';

function unavailable(cause: unknown): StorageUnavailableError {
  return new StorageUnavailableError(cause, 'the primary process does not answer');
}

/** Counts the requests of a worker in the primary process. Saving a ban does not delay other requests. */
export function handleWorkerRequests(limiter: Limiter, channel: Channel): void {
  const respond = coalescePerTick<CountedMessage['verdicts'][number]>((verdicts) =>
    // A worker that has ended needs no answer.
    channel.send({ type: 'counted', verdicts }, () => {}),
  );

  async function count(call: CountCall): Promise<void> {
    const { number } = call;
    try {
      const verdict = await ('key' in call ? limiter.countKey(call.key) : limiter.countAddress(call.address));
      respond({ number, verdict: packVerdict(verdict) });
    } catch {
      respond({ number });
    }
  }

  channel.listen((message) => {
    if (!isCountMessage(message)) return;
    for (const call of message.calls) void count(call);
  });
}

export function packVerdict(verdict: Verdict | undefined) {
  if (verdict === undefined) return null;
  const { window, limit, remaining, reset, other, bannedUntil, outcome, retryAfter, banStarted } = verdict;
  const numbers = [
    limit,
    remaining,
    reset,
    other.limit,
    other.remaining,
    other.reset,
    bannedUntil,
    retryAfter,
  ] as const;
  return [window, outcome, banStarted, ...numbers] as const;
}

function unpackVerdict(packed: PackedVerdict): Verdict | undefined {
  if (packed === null) return undefined;
  const [window, outcome, banStarted, ...numbers] = packed;
  const [limit, remaining, reset, otherLimit, otherRemaining, otherReset, bannedUntil, retryAfter] = numbers;
  const other = { limit: otherLimit, remaining: otherRemaining, reset: otherReset };
  return { window, limit, remaining, reset, other, bannedUntil, outcome, retryAfter, banStarted };
}

/** Both processes run this program, so the type alone distinguishes its messages from those of libraries. */
function isCountMessage(message: unknown): message is CountMessage {
  return messageType(message) === 'count';
}

function isCountedMessage(message: unknown): message is CountedMessage {
  return messageType(message) === 'counted';
}

/** The type of a message between the processes of this program. */
export function messageType(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

/** Sends the items of one turn of the event loop in one message, because a message costs far more than an item. */
function coalescePerTick<T>(send: (items: T[]) => void): (item: T) => void {
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
