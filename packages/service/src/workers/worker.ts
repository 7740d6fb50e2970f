import { setTimeout } from 'node:timers/promises';
import { hasQuotas, type LimitRules } from '../common/contract.ts';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { OpenLimiter } from '../rate-limit/open-limiter.ts';
import { createPrimaryLimiterClient, ipcChannel, messageType } from '../rate-limit/worker-limiter.ts';
import type { Storage } from '../storage/storage.ts';

/** Milliseconds that a stopping worker waits for the others, so that one that is still starting does not delay it for long. */
const OTHERS_STOP = 1_000;

/**
 * The parts of a worker that use the primary process: the metrics, the coordinated stop, and the counting unless Redis or
 * the database counts, or nothing is counted.
 */
export function connectToPrimary<Counted extends Storage>(
  config: Pick<Config, 'redisUrl'>,
  storage: Counted,
  contract: LimitRules,
) {
  const shared = { showMetrics: reportToPrimary, onStoppedListening: untilNoWorkerListens };
  const isCountedElsewhere = config.redisUrl !== undefined || storage.sharedDatabase !== undefined;
  if (isCountedElsewhere || !hasQuotas(contract)) return { ...shared, storage };
  const client = createPrimaryLimiterClient(ipcChannel(process));
  const limiter: OpenLimiter = { limiter: client, shared: undefined, close: () => {} };
  // Without the primary process, no call can be served, so this worker is not ready.
  const ping = async () => void (await Promise.all([storage.ping(), client.ping()]));
  return { ...shared, limiter, storage: { ...storage, ping } };
}

/** Sends the metrics to the primary process when it asks for them, instead of opening a listener. */
async function reportToPrimary({ registry }: Metrics): Promise<{ port: number; close: () => Promise<void> }> {
  process.on('message', async (message) => {
    if (!isMetricsRequest(message)) return;
    const metrics = await registry.getMetricsAsJSON();
    if (process.connected) process.send?.({ type: 'metrics', number: message.number, metrics }, () => {});
  });
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

/** Asks a worker for its metrics. Its answer has the same type and number, and the metrics. */
export type MetricsRequest = { type: 'metrics'; number: number };

export function isMetricsRequest(message: unknown): message is MetricsRequest {
  return messageType(message) === 'metrics';
}
