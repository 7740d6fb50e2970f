import type { Limiter } from '../limiter/limiter.ts';
import type { Verdict } from '../quota/verdict.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { type Channel, type CountCall, coalescePerTick, isCountedMessage } from './messages.ts';

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
      else request?.reject(new StorageUnavailableError(new Error('The primary process could not write a ban down.')));
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
    // Where it is counted, it is written down.
    flush: async () => {},
  };
}
