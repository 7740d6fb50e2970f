import { withTimeout } from '../common/with-timeout.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Verdict } from '../quota/verdict.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { type Channel, type CountCall, coalescePerTick, isCountedMessage } from './messages.ts';

/** The longest that a request waits for the primary process, in milliseconds. */
const TIMEOUT = 2_000;

type Unnumbered<Call> = Call extends unknown ? Omit<Call, 'number'> : never;

/**
 * The limiter of a worker. The primary process counts for all workers, so that each quota is counted in one place. A request
 * is rejected with a StorageUnavailableError if the primary cannot be reached, does not answer in time, or cannot save a ban.
 */
export function createPrimaryLimiterClient(channel: Channel, timeoutMs: number = TIMEOUT): Limiter {
  const waiting = new Map<number, PromiseWithResolvers<Verdict>>();
  let lastNumber = 0;

  const send = coalescePerTick<CountCall>((calls) =>
    channel.send({ type: 'count', calls }, (error) => {
      for (const { number } of calls) waiting.get(number)?.reject(error);
    }),
  );

  channel.listen((message) => {
    if (!isCountedMessage(message)) return;
    for (const { number, verdict } of message.verdicts) {
      const request = waiting.get(number);
      if (verdict !== undefined) request?.resolve(verdict);
      else request?.reject(new Error('The primary process cannot save a ban.'));
    }
  });

  async function count(call: Unnumbered<CountCall>): Promise<Verdict> {
    lastNumber += 1;
    const number = lastNumber;
    const request = Promise.withResolvers<Verdict>();
    waiting.set(number, request);
    send({ ...call, number });
    try {
      return await withTimeout(request.promise, timeoutMs);
    } catch (error) {
      throw new StorageUnavailableError(error);
    } finally {
      waiting.delete(number);
    }
  }

  return {
    countKey: ({ id, plan, perMinute, perDay }) => count({ key: { id, plan, perMinute, perDay } }),
    countAddress: (address) => count({ address }),
    // The primary process saves the usage.
    flush: async () => {},
  };
}
