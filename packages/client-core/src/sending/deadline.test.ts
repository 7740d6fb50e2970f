import { expect, test } from '@jest/globals';
import { limitCall } from './deadline.ts';

const hanging = new Promise<never>(() => {});

test('work that hangs ends at once if the signal was aborted before', async () => {
  const limit = limitCall(AbortSignal.abort(new Error('closed')));
  await expect(limit.run(hanging, 60_000)).rejects.toThrow('closed');
  await limit.release();
});

test('work that hangs ends with the signal, and at its deadline', async () => {
  const controller = new AbortController();
  const limits = [limitCall(controller.signal), limitCall(undefined)] as const;
  const aborted = limits[0].run(hanging, 60_000);
  controller.abort(new Error('left'));
  await expect(aborted).rejects.toThrow('left');
  await expect(limits[1].run(hanging, 5)).rejects.toThrow('within its deadline of 5 ms');
  for (const limit of limits) await limit.release();
});
