import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type SimulationOptions, simulate, type WayResult } from './simulate.ts';
import { ways } from './ways/index.ts';

/** Simulates all ways in a thread of its own; simulated time does not mind who else is at work. */
export function simulateInBackground(options: SimulationOptions): Promise<WayResult[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

if (!isMainThread) parentPort?.postMessage(ways.map((way) => simulate(way, workerData)));
