import type { Heard, SharedGate } from '@animal-store/client';
import { createClient } from '@redis/client';

/**
 * A gate for the clients of one API key in several processes. News goes over a channel; the last refusal is a Redis key
 * that expires with the refusal, so the clocks of the machines do not matter.
 *
 * @param name identifies the API key, for example its ID; not the key itself
 */
export async function createRedisGate(url: string, name: string): Promise<SharedGate & AsyncDisposable> {
  const publisher = createClient({ url });
  // Without Redis, each process counts for itself.
  publisher.on('error', (error) => console.warn('Redis', error));
  await publisher.connect();
  const subscriber = publisher.duplicate();
  subscriber.on('error', (error) => console.warn('Redis', error));
  await subscriber.connect();
  const self = crypto.randomUUID();
  const channel = `animal-store:${name}`;

  async function send(news: Heard): Promise<void> {
    const text = JSON.stringify(news);
    if (news.resumed) await publisher.del(channel);
    if (news.status === 429 && news.retryAfter) await publisher.set(channel, text, { PX: Math.ceil(news.retryAfter) });
    await publisher.publish(channel, `${self} ${text}`);
  }

  return {
    publish: (news) => void send(news).catch((error: unknown) => console.warn('Redis', error)),
    async subscribe(listener) {
      await subscriber.subscribe(channel, (message) => {
        const space = message.indexOf(' ');
        if (message.slice(0, space) !== self) listener(JSON.parse(message.slice(space)));
      });
      const [refusal, left] = [await publisher.get(channel), await publisher.pTTL(channel)];
      if (refusal !== null && left > 0) listener({ ...JSON.parse(refusal), retryAfter: left, resetIn: undefined });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([publisher.close(), subscriber.close()]);
    },
  };
}
