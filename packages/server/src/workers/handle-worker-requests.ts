import type { Limiter } from '../limiter/limiter.ts';
import { type Channel, type CountCall, type CountedMessage, coalescePerTick, isCountMessage } from './messages.ts';

/** Counts the requests of a worker in the primary process. A ban that is being saved does not delay other requests. */
export function handleWorkerRequests(limiter: Limiter, channel: Channel): void {
  const respond = coalescePerTick<CountedMessage['verdicts'][number]>((verdicts) =>
    // A worker that has ended needs no answer.
    channel.send({ type: 'counted', verdicts }, () => {}),
  );

  async function count(call: CountCall): Promise<void> {
    const { number } = call;
    try {
      const verdict = await ('key' in call ? limiter.countKey(call.key) : limiter.countAddress(call.address));
      respond({ number, verdict });
    } catch {
      respond({ number });
    }
  }

  channel.listen((message) => {
    if (!isCountMessage(message)) return;
    for (const call of message.calls) void count(call);
  });
}
