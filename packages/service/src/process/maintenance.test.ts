import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { contract } from '../../test/toy-contract.ts';
import { startLimiter } from '../rate-limit/limiter-fixture.ts';
import { startMaintenance } from './maintenance.ts';

const storage = { deleteIdempotencyRecords: async () => {} };
const log = pino({ enabled: false });

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('usage is saved every second if it has changed', async () => {
  const { limiter, count, store } = await startLimiter();
  const { stop } = startMaintenance({ contract, storage, limiter, clock: Date.now, log });
  await count('a', 1);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(store.saves).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(store.saves).toHaveLength(1);
  await stop();
});

test('no other save starts during a slow one, and requests counted meanwhile are saved at the stop', async () => {
  const { limiter, count, store } = await startLimiter();
  const { stop } = startMaintenance({ contract, storage, limiter, clock: Date.now, log });
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  store.gate = promise;
  await count('a', 1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(store.saves).toHaveLength(1);
  await count('a', 1);
  const stopped = stop();
  answer();
  await stopped;
  expect(store.saves.map(([record]) => record?.dayUsed)).toEqual([1, 2]);
});

test('a failed save is followed by the next one', async () => {
  const { limiter, count, store } = await startLimiter();
  const { stop } = startMaintenance({ contract, storage, limiter, clock: Date.now, log });
  store.failing = true;
  await count('a', 1);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(store.saves).toHaveLength(2);
  store.failing = false;
  await stop();
  expect(store.saves).toHaveLength(3);
});
