import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { DAY } from '../common/time.ts';
import { StorageUnavailableError } from '../storage/storage.ts';
import { key, perMinute, startLimiter } from './limiter-fixture.ts';
import {
  type Channel,
  createPrimaryLimiterClient,
  handleWorkerRequests,
  ipcChannel,
  packVerdict,
} from './worker-limiter.ts';

const { banRules } = contract;

/** The two ends of a connection that records the messages, as JSON like the real one. */
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

/** Two workers and their primary process. */
async function startWorkers() {
  const primary = await startLimiter();
  const connections = [connect(), connect()] as const;
  const [one, other] = connections.map(({ worker, primary: end }) => {
    handleWorkerRequests(primary.limiter, end);
    return createPrimaryLimiterClient(worker);
  });
  if (one === undefined || other === undefined) throw new Error('There must be two workers.');
  return { ...primary, one, other, sent: connections[0].sent };
}

describe('workers with a primary process that counts for them', () => {
  test('count keys and addresses together', async () => {
    const { one, other } = await startWorkers();
    expect(await one.countKey(key('a'))).toMatchObject({ outcome: 'allowed', remaining: perMinute - 1 });
    expect(await other.countKey(key('a'))).toMatchObject({ remaining: perMinute - 2 });
    expect(await one.countAddress('192.0.2.1')).toMatchObject({ remaining: perMinute - 1 });
    expect(await other.countAddress('192.0.2.1')).toMatchObject({ remaining: perMinute - 2 });
  });

  test('share the limits of a key with its own limits, including that of the day', async () => {
    const { one, other, clock } = await startWorkers();
    const own = { ...key('zoo'), plan: 'enterprise', perMinute: 5, perDay: 7 } as const;
    const counted = await Promise.all([one, other, one].map((worker) => worker.countKey(own)));
    expect(counted.map((verdict) => [verdict?.limit, verdict?.remaining])).toContainEqual([5, 2]);
    clock.now += DAY;
    expect(await other.countKey(own)).toMatchObject({ limit: 5, remaining: 4 });
  });

  test('receive the verdict of the primary process unchanged', async () => {
    const { one, limiter, provokeBan, clock } = await startWorkers();
    const twin = { ...key('b'), plan: 'enterprise', perMinute: 6, perDay: 8 } as const;
    const inPrimary = await limiter.countKey({ ...twin, id: 'c' });
    expect(await one.countKey(twin)).toEqual(inPrimary);
    expect(inPrimary).toMatchObject({ window: 'minute', remaining: 5, other: { limit: 8, remaining: 7 } });
    await provokeBan('a');
    const banned = await one.countKey(key('a'));
    expect(banned).toMatchObject({ outcome: 'banned', banStarted: true, retryAfter: banRules.firstSeconds });
    expect(banned?.bannedUntil).toBe(clock.now + banRules.firstSeconds * 1_000);
  });

  test('void a ban that an operator has ended', async () => {
    const { one, provokeBan, clock } = await startWorkers();
    await provokeBan('a');
    expect((await one.countKey(key('a')))?.outcome).toBe('banned');
    expect((await one.countKey({ ...key('a'), unbannedAt: clock.now }))?.outcome).toBe('limited');
  });

  test('allow exactly the quota', async () => {
    const { one, other } = await startWorkers();
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? one : other).countKey(key('a'))),
    );
    expect(verdicts.filter((verdict) => verdict?.outcome === 'allowed')).toHaveLength(perMinute);
  });

  test('send all requests of one turn in one message, and receive one answer', async () => {
    const { one, sent } = await startWorkers();
    await Promise.all(Array.from({ length: 50 }, (_, index) => one.countAddress(`192.0.2.${index}`)));
    expect(sent).toHaveLength(2);
  });

  test('agree on a ban, which none of them announces before it is saved', async () => {
    const { one, other, provokeBan, store, clock } = await startWorkers();
    await provokeBan('a');
    store.failing = true;
    await expect(one.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    await expect(other.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    expect(await other.countKey(key('b'))).toMatchObject({ outcome: 'allowed' });
    store.failing = false;
    expect(await other.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    expect(await one.countKey(key('a'))).toMatchObject({ outcome: 'banned' });
    clock.now += banRules.firstSeconds * 1_000;
    expect(await one.countKey(key('a'))).toMatchObject({ outcome: 'allowed' });
  });
});

describe('a worker answers with StorageUnavailableError', () => {
  test('if its messages cannot be sent', async () => {
    const closed = new Error('ERR_IPC_CHANNEL_CLOSED');
    const worker = createPrimaryLimiterClient({ send: (_message, onFailure) => onFailure(closed), listen: () => {} });
    const counted = await Promise.allSettled([worker.countKey(key('a')), worker.countAddress('192.0.2.1')]);
    // The cause shows that no request waited for the timeout.
    const unavailable = { status: 'rejected', reason: new StorageUnavailableError(closed) };
    expect(counted).toEqual([unavailable, unavailable]);
    expect(counted.map((result) => result.status === 'rejected' && result.reason.cause)).toEqual([closed, closed]);
  });

  test('if the primary process does not answer in time, and ignores a late answer', async () => {
    const { worker: channel, primary } = connect();
    const worker = createPrimaryLimiterClient(channel, 20);
    await expect(worker.countKey(key('a'))).rejects.toThrow(StorageUnavailableError);
    const { limiter } = await startLimiter();
    const late = packVerdict(await limiter.countKey(key('a')));
    primary.send({ type: 'counted', verdicts: [{ number: 1, verdict: late }] }, () => {});
    handleWorkerRequests(limiter, primary);
    expect(await worker.countKey(key('a'))).toMatchObject({ remaining: perMinute - 2 });
  });
});

describe('a channel to another process', () => {
  let child: ChildProcess | undefined;
  afterEach(() => void child?.kill('SIGKILL'));

  /** A process that answers each message with the same message, until it has to end. */
  async function startEcho() {
    const script = "process.on('message', (message) => process.send(message)); process.send({ type: 'ready' })";
    const started = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child = started;
    const errors: unknown[] = [];
    started.on('error', (error) => errors.push(error));
    await once(started, 'message');
    return { started, errors, channel: ipcChannel(started) };
  }

  test('delivers messages', async () => {
    const { channel } = await startEcho();
    const answered = new Promise((resolve) => channel.listen(resolve));
    const failures: unknown[] = [];
    channel.send({ type: 'count', calls: [] }, (error) => failures.push(error));
    expect(await answered).toEqual({ type: 'count', calls: [] });
    expect(failures).toEqual([]);
  });

  test('reports EPIPE if the process was just killed, without an error event', async () => {
    const { started, errors, channel } = await startEcho();
    started.kill('SIGKILL');
    // This process does not notice the end before its next turn.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    const failure = new Promise((resolve) => channel.send({ type: 'count', calls: [] }, resolve));
    expect(await failure).toMatchObject({ code: 'EPIPE' });
    expect(errors).toEqual([]);
  });

  test('reports ERR_IPC_CHANNEL_CLOSED if the process has ended, without an error event', async () => {
    const { started, errors, channel } = await startEcho();
    started.kill('SIGKILL');
    await once(started, 'exit');
    if (started.connected) await once(started, 'disconnect');
    const failure = new Promise((resolve) => channel.send({ type: 'count', calls: [] }, resolve));
    expect(await failure).toMatchObject({ code: 'ERR_IPC_CHANNEL_CLOSED' });
    expect(errors).toEqual([]);
  });
});
