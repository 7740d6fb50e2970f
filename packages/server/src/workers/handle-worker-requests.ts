import type { Limiter } from '../limiter/limiter.ts';
import { type Channel, type CountCall, type CountedMessage, coalescePerTick, isCountMessage } from './messages.ts';

/** The other end of `createPrimaryLimiterClient`: counts what a worker asks for. A ban that is being written down holds up no other call. */
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
