import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type RestartTiming, type Supervised, supervise } from './supervise.ts';

let workers: Supervised | undefined;
afterEach(async () => {
  await workers?.stop();
  workers = undefined;
});

type Started = { worker: Worker; at: number; endedAt: number };

/** Supervises workers, and records when each of them started and ended, and the waits in the log. */
async function start(count: number, timing: RestartTiming, ...args: string[]) {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker-fixture.ts'), args });
  const started: Started[] = [];
  const waits: number[] = [];
  const write = (line: string) => {
    const { wait } = JSON.parse(line);
    if (wait !== undefined) waits.push(wait);
  };
  const onStart = (worker: Worker) => {
    const one = { worker, at: performance.now(), endedAt: 0 };
    started.push(one);
    worker.once('exit', () => {
      one.endedAt = performance.now();
    });
  };
  workers = await supervise({ count, log: pino({ level: 'warn' }, { write }), environment: {}, onStart, timing });
  return { started, waits };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setTimeout(10);
}

describe('a worker that ends is replaced', () => {
  test('after a wait that doubles up to a limit while workers end early', async () => {
    const { started, waits } = await start(1, { first: 100, longest: 400, early: 60_000 }, '1');
    await until(() => started.length === 5);
    expect(waits).toEqual([100, 200, 400, 400]);
    for (const [index, wait] of waits.entries()) {
      const elapsed = (started[index + 1]?.at ?? 0) - (started[index]?.endedAt ?? 0);
      // Timers may fire a millisecond early.
      expect(elapsed).toBeGreaterThan(wait - 5);
    }
  });

  test('after the first wait if it ran long enough', async () => {
    const { started, waits } = await start(1, { first: 20, longest: 400, early: 0 }, '1');
    await until(() => started.length === 4);
    expect(waits).toEqual([20, 20, 20]);
  });
});

test('a message to a worker that has just died does not end the primary process', async () => {
  const { started } = await start(2, { first: 10, longest: 10, early: 0 });
  const [victim] = started;
  const { pid = 0 } = victim?.worker.process ?? {};
  process.kill(pid, 'SIGKILL');
  // Blocks this process, so that it sends before it learns of the end.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  expect(victim?.worker.isConnected()).toBe(true);
  victim?.worker.send({ type: 'counted', verdicts: [] });
  await until(() => started.length === 3);
  await once(started[2]?.worker ?? cluster, 'listening');
});
