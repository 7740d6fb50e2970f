import { banRules } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { DAY, key, perMinute, startLimiter } from '../limiter/limiter-fixture.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { type Channel, createPrimaryLimiterClient, handleWorkerRequests } from './counting.ts';

/** The two ends of a connection, which notes what is sent over it, as text like the real one. */
function connect() {
  const sent: string[] = [];
  const listeners: { worker: ((message: unknown) => void)[]; primary: ((message: unknown) => void)[] } = {
    worker: [],
    primary: [],
  };
  const end = (own: 'worker' | 'primary', other: 'worker' | 'primary'): Channel => ({
    send(message) {
      const text = JSON.stringify(message);
      sent.push(text);
      setImmediate(() => {
        for (const listener of listeners[other]) listener(JSON.parse(text));
      });
    },
    listen: (listener) => void listeners[own].push(listener),
  });
  return { sent, worker: end('worker', 'primary'), primary: end('primary', 'worker') };
}

/** Two workers and the process that counts for both. */
async function startWorkers() {
  const primary = await startLimiter();
  const connections = [connect(), connect()] as const;
  const [one, other] = connections.map(({ worker, primary: end }) => {
    handleWorkerRequests(primary.limiter, end);
    return createPrimaryLimiterClient(worker);
  });
  if (one === undefined || other === undefined) throw new Error('There are two.');
  return { ...primary, one, other, sent: connections[0].sent };
}

describe('workers whose primary process counts', () => {
  test('count keys and addresses together', async () => {
    const { one, other } = await startWorkers();
    expect(await one.countKey(key('a'))).toMatchObject({ outcome: 'allowed', remaining: perMinute - 1 });
    expect(await other.countKey(key('a'))).toMatchObject({ remaining: perMinute - 2 });
    expect(await one.countAddress('192.0.2.1')).toMatchObject({ remaining: perMinute - 1 });
    expect(await other.countAddress('192.0.2.1')).toMatchObject({ remaining: perMinute - 2 });
  });

  test('hear the limits of a key of its own, and the day as well', async () => {
    const { one, other, clock } = await startWorkers();
    const own = { ...key('zoo'), plan: 'enterprise', perMinute: 5, perDay: 7 } as const;
    const counted = await Promise.all([one, other, one].map((worker) => worker.countKey(own)));
    expect(counted.map(({ limit, remaining }) => [limit, remaining])).toContainEqual([5, 2]);
    clock.now += DAY;
    expect(await other.countKey(own)).toMatchObject({ limit: 5, remaining: 4 });
  });

  test('let exactly the quota pass', async () => {
    const { one, other } = await startWorkers();
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? one : other).countKey(key('a'))),
    );
    expect(verdicts.filter(({ outcome }) => outcome === 'allowed')).toHaveLength(perMinute);
  });

  test('ask for all that came in one turn at once, and are answered at once', async () => {
    const { one, sent } = await startWorkers();
    await Promise.all(Array.from({ length: 50 }, (_, index) => one.countAddress(`192.0.2.${index}`)));
    expect(sent).toHaveLength(2);
  });

  test('agree on a ban, and on one that cannot be written down', async () => {
    const { one, other, provoke, store, clock } = await startWorkers();
    await provoke('a');
    store.failing = true;
    await expect(one.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    expect(await other.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    expect(await other.countKey(key('b'))).toMatchObject({ outcome: 'allowed' });
    clock.now += banRules.firstSeconds * 1_000;
    expect(await one.countKey(key('a'))).toMatchObject({ outcome: 'allowed' });
  });
});
