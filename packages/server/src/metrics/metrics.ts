import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ResponseObserver } from '../http/context.ts';
import type { Storage } from '../storage/storage.ts';

export type Metrics = {
  registry: Registry;
  observe: ResponseObserver;
  /** All metrics in the text format of Prometheus, with its media type. */
  read: () => Promise<{ text: string; contentType: string }>;
};

/** In seconds; most responses take less than two milliseconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates the Prometheus metrics of this process: requests by operation and status, error responses by code, whether the
 * storage and any shared counters answer, and prom-client's default metrics. Callers cannot choose label values, so the
 * contract bounds the number of series.
 */
export function createMetrics(storage: Pick<Storage, 'ping'>, sharedCounters?: { readonly isUp: boolean }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'animal_store_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets,
    registers,
  });
  const refusals = new Counter({
    name: 'animal_store_refusals_total',
    help: 'Error responses, by code.',
    labelNames: ['code'],
    registers,
  });
  const aborted = new Counter({
    name: 'animal_store_aborted_responses_total',
    help: 'Responses whose connection closed before they were sent in full.',
    registers,
  });
  addStorageGauge(registry, storage);
  if (sharedCounters !== undefined) addCountersGauge(registry, sharedCounters);

  const observe: ResponseObserver = (response) => {
    durations.observe({ operation: response.operation, status: response.status }, response.milliseconds / 1_000);
    if (response.code !== undefined) refusals.inc({ code: response.code });
    if (response.aborted) aborted.inc();
  };
  const read = async () => ({ text: await registry.metrics(), contentType: registry.contentType });
  return { registry, observe, read };
}

function addStorageGauge(registry: Registry, storage: Pick<Storage, 'ping'>): void {
  new Gauge({
    name: 'animal_store_storage_up',
    help: '1 while the storage answers, 0 while it does not.',
    aggregator: 'min',
    registers: [registry],
    async collect() {
      const answers = storage.ping().then(
        () => 1,
        () => 0,
      );
      this.set(await answers);
    },
  });
}

function addCountersGauge(registry: Registry, counters: { readonly isUp: boolean }): void {
  new Gauge({
    name: 'animal_store_shared_counters_up',
    help: '1 while this process counts together with all others, 0 while it counts by itself.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set(counters.isUp ? 1 : 0);
    },
  });
}
