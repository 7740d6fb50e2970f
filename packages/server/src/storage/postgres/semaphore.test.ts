import { expect, test } from '@jest/globals';
import { gate } from '../../operations/storage/suite/engine.ts';
import { StorageUnavailableError } from '../storage.ts';
import { Semaphore } from './semaphore.ts';

test('only the given number of calls run at a time, and the others follow in order', async () => {
  const semaphore = new Semaphore(2, 10_000);
  const steps: string[] = [];
  const [a, b] = [gate(), gate()];
  const call = (name: string, until: Promise<void>) =>
    semaphore.use(async () => {
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
  const semaphore = new Semaphore(1, 10_000);
  const failing = semaphore.use(async () => {
    throw new Error('No.');
  });
  const next = semaphore.use(async () => 'done');
  await expect(failing).rejects.toThrow('No.');
  expect(await next).toBe('done');
});

test('waiting calls can be rejected; running calls continue, and later calls are accepted', async () => {
  const semaphore = new Semaphore(1, 10_000);
  const end = gate();
  const running = semaphore.use(async () => {
    await end.opened;
    return 'done';
  });
  const waiting = [semaphore.use(async () => 'never'), semaphore.use(async () => 'never')];
  const results = Promise.allSettled(waiting);
  await Promise.resolve();
  semaphore.refuseWaiting(new Error('Away.'));
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = semaphore.use(async () => 'later');
  end.open();
  expect([await running, await later]).toEqual(['done', 'later']);
});

test('a call does not wait forever', async () => {
  const semaphore = new Semaphore(1, 10);
  const end = gate();
  const running = semaphore.use(() => end.opened);
  await expect(semaphore.use(async () => 'never')).rejects.toBeInstanceOf(StorageUnavailableError);
  end.open();
  await running;
  expect(await semaphore.use(async () => 'done')).toBe('done');
});

test('close waits for running and waiting calls, and refuses new ones', async () => {
  const semaphore = new Semaphore(1, 10_000);
  await semaphore.use(async () => 'before');
  const end = gate();
  const steps: string[] = [];
  const calls = ['a', 'b'].map((name) =>
    semaphore.use(async () => {
      await end.opened;
      steps.push(name);
    }),
  );
  const closed = semaphore.close().then(() => steps.push('closed'));
  await expect(semaphore.use(async () => 'late')).rejects.toBeInstanceOf(StorageUnavailableError);
  end.open();
  await Promise.all([...calls, closed]);
  expect(steps).toEqual(['a', 'b', 'closed']);
});
