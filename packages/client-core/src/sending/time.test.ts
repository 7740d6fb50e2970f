import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { limitWork, systemSleep } from './time.ts';

describe('sleeping', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('that is aborted rejects with the reason, and clears its timer', async () => {
    const controller = new AbortController();
    const sleeping = systemSleep(1_000, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('for longer than the maximum of a timer does not end at once', () => {
    void systemSleep(Infinity, new AbortController().signal);
    jest.advanceTimersByTime(24 * 86_400_000);
    expect(jest.getTimerCount()).toBe(1);
  });
});

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
