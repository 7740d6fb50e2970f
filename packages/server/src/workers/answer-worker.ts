import type { Limiter } from '../limits/limiter.ts';
import { type Channel, type CountCall, type CountedMessage, gather, isCountMessage } from './messages.ts';

/** The other end of `askPrimary`: counts what a worker asks for. A ban that is being written down holds up no other call. */
export function answerWorker(limiter: Limiter, channel: Channel): void {
  const answer = gather<CountedMessage['verdicts'][number]>((verdicts) => channel.send({ type: 'counted', verdicts }));

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
