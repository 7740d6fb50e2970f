import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { contract } from '../../test/toy-contract.ts';
import { createActivityTracker } from '../middleware/observe-responses.ts';
import { startLimiter } from '../rate-limit/limiter-fixture.ts';
import { type KeyStore, StorageUnavailableError } from '../storage/storage.ts';
import { startMaintenance } from './maintenance.ts';

const storage = { deleteIdempotencyRecords: async () => {}, keys: { deleteDailyCalls: async () => {} } };
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

test('the work of the store runs every minute, never twice at once, and again after a failure', async () => {
  const { limiter } = await startLimiter();
  const { promise, reject } = Promise.withResolvers<void>();
  let runs = 0;
  const everyMinute = async () => {
    runs += 1;
    if (runs === 1) await promise;
  };
  const { stop } = startMaintenance({ contract, storage, limiter, everyMinute, clock: Date.now, log });
  await jest.advanceTimersByTimeAsync(59_999);
  expect(runs).toBe(0);
  await jest.advanceTimersByTimeAsync(120_001);
  expect(runs).toBe(1);
  reject(new StorageUnavailableError('the disk is full'));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(2);
  await stop();
});

test('a stop during a save that fails does not wait for another save, and fails', async () => {
  const { limiter, count, store } = await startLimiter();
  const { stop } = startMaintenance({ contract, storage, limiter, clock: Date.now, log });
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  store.gate = promise;
  store.failing = true;
  await count('a', 1);
  await jest.advanceTimersByTimeAsync(1_000);
  const stopped = expect(stop()).rejects.toThrow('did not save them');
  answer();
  await stopped;
  expect(store.saves).toHaveLength(1);
});

test('the activity of keys is saved every ten seconds and at the stop, including what an earlier save failed to write', async () => {
  const { limiter } = await startLimiter();
  const saves: string[] = [];
  let isFailing = false;
  const addActivity: KeyStore['addActivity'] = async (records) => {
    if (isFailing) throw new StorageUnavailableError('the disk is full');
    saves.push(records.map(({ keyId, operation, calls }) => `${keyId} ${operation} ${calls}`).join(', '));
  };
  const activity = createActivityTracker({ addActivity }, Date.now);
  const { stop } = startMaintenance({ contract, storage, limiter, activity, clock: Date.now, log });
  const respond = (keyId: string | undefined, operation: 'getNote' | 'unknown') =>
    activity.observe({
      requestId: '',
      operation,
      status: 200,
      code: undefined,
      milliseconds: 1,
      keyId,
      streamMilliseconds: undefined,
      trace: undefined,
      aborted: false,
    });
  respond('a', 'getNote');
  respond('a', 'getNote');
  respond(undefined, 'getNote');
  await jest.advanceTimersByTimeAsync(9_999);
  expect(saves).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(saves).toEqual(['a getNote 2']);
  isFailing = true;
  respond('a', 'getNote');
  await jest.advanceTimersByTimeAsync(10_000);
  isFailing = false;
  respond('a', 'getNote');
  respond('b', 'unknown');
  await stop();
  expect(saves).toEqual(['a getNote 2', 'a getNote 2, b unknown 1']);
});

test('calls around midnight UTC are saved with the day of each', async () => {
  const saved: [number, number][] = [];
  const addActivity: KeyStore['addActivity'] = async (records) => {
    for (const { calls, lastCalledAt } of records) saved.push([calls, lastCalledAt]);
  };
  const midnight = Date.parse('2026-12-02T00:00:00Z');
  const times = [midnight - 2, midnight - 1, midnight];
  const activity = createActivityTracker({ addActivity }, () => times.shift() ?? 0);
  const response = { keyId: 'a', operation: 'getNote', requestId: '', method: 'GET', path: '/', status: 200 } as const;
  for (let call = 0; call < 3; call += 1) {
    activity.observe({
      ...response,
      code: undefined,
      milliseconds: 1,
      streamMilliseconds: undefined,
      aborted: false,
      trace: undefined,
    });
  }
  await activity.flush();
  expect(saved).toEqual([
    [2, midnight - 1],
    [1, midnight],
  ]);
});
