import { expect, test } from '@jest/globals';
import { limitWork } from './deadline.ts';
import { systemSleep } from './sleep.ts';

const hanging = new Promise<never>(() => {});
const limitOf = (signal: AbortSignal | undefined, milliseconds = 60_000) =>
  limitWork(signal, systemSleep, milliseconds, () => new Error('late'));

test('work that hangs ends at once if the signal was aborted before', async () => {
  const limit = limitOf(AbortSignal.abort(new Error('closed')));
  await expect(limit.run(hanging)).rejects.toThrow('closed');
  await limit.release();
});

test('work that hangs ends with the signal, and at its deadline', async () => {
  const controller = new AbortController();
  const limits = [limitOf(controller.signal), limitOf(undefined, 5)] as const;
  const aborted = limits[0].run(hanging);
  controller.abort(new Error('left'));
  await expect(aborted).rejects.toThrow('left');
  await expect(limits[1].run(hanging)).rejects.toThrow('late');
  for (const limit of limits) await limit.release();
});
