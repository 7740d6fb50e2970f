import { setTimeout } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { OpenLimiter } from '../limiter/open-limiter.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Storage } from '../storage/storage.ts';
import { createPrimaryLimiterClient, ipcChannel, messageType } from './counting.ts';

/** Milliseconds that a stopping worker waits for the others, so that one that is still starting does not delay it for long. */
const OTHERS_STOP = 1_000;

/**
 * The parts of a worker that use the primary process: the metrics, the coordinated stop, and the counting unless Redis or
 * the database counts.
 */
export function connectToPrimary(config: Pick<Config, 'redisUrl'>, storage: Pick<Storage, 'counters'>) {
  const isCountedElsewhere = config.redisUrl !== undefined || storage.counters !== undefined;
  const limiter: OpenLimiter | undefined = isCountedElsewhere
    ? undefined
    : { limiter: createPrimaryLimiterClient(ipcChannel(process)), shared: undefined, close: () => {} };
  return { limiter, showMetrics: reportToPrimary, onStoppedListening: untilNoWorkerListens };
}

/** Registers the metrics for collection by the primary process, instead of opening a listener. */
async function reportToPrimary(metrics: Metrics): Promise<{ port: number; close: () => Promise<void> }> {
  AggregatorRegistry.setRegistries([metrics.registry]);
  new AggregatorRegistry();
  return { port: 0, close: async () => {} };
}

/** The workers share a listening socket. While any of them has it open, clients that reconnect end up in its backlog. */
async function untilNoWorkerListens(): Promise<void> {
  const noneListens = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (messageType(message) === 'none-listens') resolve();
    });
  });
  // A worker without a primary process is about to exit.
  if (process.connected) process.send?.({ type: 'stopped-listening' }, undefined, undefined, () => {});
  await Promise.race([noneListens, setTimeout(OTHERS_STOP, undefined, { ref: false })]);
}
