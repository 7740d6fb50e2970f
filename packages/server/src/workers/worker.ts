import { setTimeout } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { OpenLimiter } from '../limiter/open-limiter.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Storage } from '../storage/storage.ts';
import { createPrimaryLimiterClient, ipcChannel, messageType } from './counting.ts';

/** Milliseconds that a stopping worker waits for the others. One that is still starting must not hold it up for long. */
const OTHERS_STOP = 1_000;

/**
 * What a worker leaves to the primary process: it shows the metrics, and counts unless all processes count in Redis or in the
 * database.
 */
export function connectToPrimary(config: Pick<Config, 'redisUrl'>, storage: Pick<Storage, 'counters'>) {
  const isCountedElsewhere = config.redisUrl !== undefined || storage.counters !== undefined;
  const limiter: OpenLimiter | undefined = isCountedElsewhere
    ? undefined
    : { limiter: createPrimaryLimiterClient(ipcChannel(process)), shared: undefined, close: () => {} };
  return { limiter, showMetrics: reportToPrimary, onStoppedListening: untilNoWorkerListens };
}

/** Lets the primary process ask this worker for its metrics, in place of a listener. */
async function reportToPrimary(metrics: Metrics): Promise<{ port: number; close: () => Promise<void> }> {
  AggregatorRegistry.setRegistries([metrics.registry]);
  new AggregatorRegistry();
  return { port: 0, close: async () => {} };
}

/** The workers share one listening socket: as long as one of them has it open, callers that reconnect end up in its queue. */
async function untilNoWorkerListens(): Promise<void> {
  const noneListens = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (messageType(message) === 'none-listens') resolve();
    });
  });
  // Without the primary process this one is about to end.
  if (process.connected) process.send?.({ type: 'stopped-listening' }, undefined, undefined, () => {});
  await Promise.race([noneListens, setTimeout(OTHERS_STOP, undefined, { ref: false })]);
}
