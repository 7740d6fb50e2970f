import { expect, test } from '@jest/globals';
import { StorageUnavailableError } from '../../storage.ts';
import { gate } from '../../suite/engine.ts';
import { Lanes } from './lanes.ts';

test('so many calls run at a time, and the others in the order in which they came', async () => {
  const lanes = new Lanes(2);
  const steps: string[] = [];
  const [a, b] = [gate(), gate()];
  const call = (name: string, until: Promise<void>) =>
    lanes.use(async () => {
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

test('a call that fails leaves its lane to the next', async () => {
  const lanes = new Lanes(1);
  const failing = lanes.use(async () => {
    throw new Error('No.');
  });
  const next = lanes.use(async () => 'done');
  await expect(failing).rejects.toThrow('No.');
  expect(await next).toBe('done');
});

test('those that wait can be refused; those that run go on, and those that come later are let through', async () => {
  const lanes = new Lanes(1);
  const end = gate();
  const running = lanes.use(async () => {
    await end.opened;
    return 'done';
  });
  const waiting = [lanes.use(async () => 'never'), lanes.use(async () => 'never')];
  const results = Promise.allSettled(waiting);
  await Promise.resolve();
  lanes.refuseWaiting(new Error('Away.'));
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = lanes.use(async () => 'later');
  end.open();
  expect([await running, await later]).toEqual(['done', 'later']);
});

test('a call does not wait for ever', async () => {
  const lanes = new Lanes(1, 10);
  const end = gate();
  const running = lanes.use(() => end.opened);
  await expect(lanes.use(async () => 'never')).rejects.toBeInstanceOf(StorageUnavailableError);
  end.open();
  await running;
  expect(await lanes.use(async () => 'done')).toBe('done');
});

test('close waits for those that run and those that wait, and refuses those that come', async () => {
  const lanes = new Lanes(1);
  await lanes.use(async () => 'before');
  const end = gate();
  const steps: string[] = [];
  const calls = ['a', 'b'].map((name) =>
    lanes.use(async () => {
      await end.opened;
      steps.push(name);
    }),
  );
  const closed = lanes.close().then(() => steps.push('closed'));
  await expect(lanes.use(async () => 'late')).rejects.toBeInstanceOf(StorageUnavailableError);
  end.open();
  await Promise.all([...calls, closed]);
  expect(steps).toEqual(['a', 'b', 'closed']);
});
