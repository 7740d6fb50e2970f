import { AggregatorRegistry } from 'prom-client';
import type { MetricsListener } from './listener.ts';
import type { Metrics } from './metrics.ts';

/** The figures of all workers, in the primary process: sums, and where a sum says nothing their mean or least. */
export function metricsOfWorkers(): Pick<Metrics, 'read'> {
  const registry = new AggregatorRegistry();
  return { read: async () => ({ text: await registry.clusterMetrics(), contentType: registry.contentType }) };
}

/** Lets the primary process ask this worker for its figures, in place of a listener. */
export async function reportToPrimary(metrics: Metrics): Promise<MetricsListener> {
  AggregatorRegistry.setRegistries([metrics.registry]);
  new AggregatorRegistry();
  return { port: 0, close: async () => {} };
}
