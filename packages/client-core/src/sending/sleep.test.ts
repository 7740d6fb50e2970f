import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemSleep } from './sleep.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('sleeping', () => {
  test('ends after that many milliseconds', async () => {
    const sleeping = systemSleep(1_000, new AbortController().signal);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1_000);
    await expect(sleeping).resolves.toBeUndefined();
  });

  test('that is aborted rejects with the reason, and clears its timer', async () => {
    const controller = new AbortController();
    const sleeping = systemSleep(1_000, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('with a signal that was aborted before starts no timer', async () => {
    await expect(systemSleep(1_000, AbortSignal.abort('enough'))).rejects.toBe('enough');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('for longer than the maximum of a timer does not end at once', () => {
    void systemSleep(Infinity, new AbortController().signal);
    jest.advanceTimersByTime(24 * 86_400_000);
    expect(jest.getTimerCount()).toBe(1);
  });
});
