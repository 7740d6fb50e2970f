import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { type RedoclyRun, type RedoclyRunner, redoclyEnvironment, useRedoclyRunner } from '../../redocly.ts';

const PATIENCE = 60_000;

/** Has this thread's Redocly commands run by a Redocly that stays loaded. */
export function keepRedoclyLoaded(): void {
  let loaded: RedoclyRunner | undefined;
  useRedoclyRunner((parameters) => {
    loaded ??= loadRedocly();
    try {
      return loaded(parameters);
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  });
}

/** A runner that waits for its thread, as the callers of runRedocly wait for its process. */
function loadRedocly(): RedoclyRunner {
  const { port1, port2 } = new MessageChannel();
  const finished = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { port: port2, finished },
    transferList: [port2],
    env: redoclyEnvironment,
  });
  thread.unref();

  return (parameters) => {
    Atomics.store(finished, 0, 0);
    port1.postMessage(parameters);
    const inTime = Atomics.wait(finished, 0, 0, PATIENCE) !== 'timed-out';
    const reply: { message: RedoclyRun } | undefined = receiveMessageOnPort(port1);
    if (inTime && reply !== undefined) return reply.message;
    void thread.terminate();
    throw new Error(`Redocly did not end in ${PATIENCE / 1_000} seconds: redocly ${parameters.join(' ')}`);
  };
}
