import { expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../storage.ts';
import { gate } from '../suite/engine.ts';
import { Semaphore } from './semaphore.ts';

test('only the given number of calls run at a time, and the others follow in order', async () => {
  const semaphore = new Semaphore({ count: 3, timeoutMs: 10_000 });
  const steps: string[] = [];
  const [a, b] = [gate(), gate()];
  const call = (name: string, until: Promise<void>) =>
    semaphore.use('reads', async () => {
      steps.push(name);
      await until;
    });
  const calls = [call('a', a.opened), call('b', b.opened), call('c', a.opened), call('d', a.opened)];
  await Promise.resolve();
  expect(steps).toEqual(['a', 'b']);
  a.open();
  await Promise.all([calls[0], calls[2], calls[3]]);
  expect(steps).toEqual(['a', 'b', 'c', 'd']);
  b.open();
  await calls[1];
});

test('a call that fails lets the next one run', async () => {
  const semaphore = new Semaphore({ count: 1, timeoutMs: 10_000 });
  const failing = semaphore.use('reads', async () => {
    throw new Error('No.');
  });
  const next = semaphore.use('reads', async () => 'done');
  await expect(failing).rejects.toThrow('No.');
  expect(await next).toBe('done');
});

test('waiting calls can be rejected; running calls continue, and later calls are accepted', async () => {
  const semaphore = new Semaphore({ count: 1, timeoutMs: 10_000 });
  const end = gate();
  const running = semaphore.use('reads', async () => {
    await end.opened;
    return 'done';
  });
  const waiting = [semaphore.use('reads', async () => 'never'), semaphore.use('reads', async () => 'never')];
  const results = Promise.allSettled(waiting);
  await Promise.resolve();
  semaphore.refuseWaiting(new Error('Away.'));
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = semaphore.use('reads', async () => 'later');
  end.open();
  expect([await running, await later]).toEqual(['done', 'later']);
});

test('a call does not wait forever', async () => {
  const semaphore = new Semaphore({ count: 1, timeoutMs: 10 });
  const end = gate();
  const running = semaphore.use('reads', () => end.opened);
  await expect(semaphore.use('reads', async () => 'never')).rejects.toBeInstanceOf(StorageUnavailableError);
  end.open();
  await running;
  expect(await semaphore.use('reads', async () => 'done')).toBe('done');
});

test('close waits for running and waiting calls, and refuses new ones', async () => {
  const semaphore = new Semaphore({ count: 1, timeoutMs: 10_000 });
  await semaphore.use('reads', async () => 'before');
  const end = gate();
  const steps: string[] = [];
  const calls = ['a', 'b'].map((name) =>
    semaphore.use('reads', async () => {
      await end.opened;
      steps.push(name);
    }),
  );
  const closed = semaphore.close().then(() => steps.push('closed'));
  await expect(semaphore.use('reads', async () => 'late')).rejects.toBeInstanceOf(StorageUnavailableError);
  end.open();
  await Promise.all([...calls, closed]);
  expect(steps).toEqual(['a', 'b', 'closed']);
});

test('calls of one kind leave a quarter of the places to kinds that have none, and a free place goes to the kind with the fewest', async () => {
  const semaphore = new Semaphore({ count: 8, timeoutMs: 10_000 });
  const running: string[] = [];
  const [stuck, end] = [gate(), gate()];
  const call = (kind: string, until: Promise<void>) =>
    semaphore.use(kind, async () => {
      running.push(kind);
      await until;
    });
  const calls = [
    ...Array.from({ length: 20 }, () => call('notes', stuck.opened)),
    ...Array.from({ length: 3 }, () => call('tasks', end.opened)),
    call('keys', end.opened),
  ];
  await Promise.resolve();
  expect(running).toEqual([...Array(6).fill('notes'), 'tasks', 'keys']);
  end.open();
  await Promise.all(calls.slice(20));
  expect(running.slice(8)).toEqual(['tasks', 'tasks']);
  stuck.open();
  await Promise.all(calls);
});

test('no more calls of a kind wait than allowed; further ones are refused at once', async () => {
  const semaphore = new Semaphore({ count: 1, timeoutMs: 10_000, maxWaiting: 2 });
  const end = gate();
  const calls = Array.from({ length: 3 }, () => semaphore.use('reads', () => end.opened));
  await expect(semaphore.use('reads', () => end.opened)).rejects.toBeInstanceOf(StorageUnavailableError);
  const other = semaphore.use('keys', () => end.opened);
  end.open();
  await Promise.all([...calls, other]);
});
