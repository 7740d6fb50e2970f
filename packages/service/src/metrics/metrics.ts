import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Contract } from '../common/contract.ts';
import type { ResponseObserver } from '../common/observed-response.ts';
import { isDeprecated } from '../contract/deprecation.ts';
import type { DroppedLines } from '../process/log-output.ts';
import type { Storage } from '../storage/storage.ts';

export type Metrics = {
  registry: Registry;
  observe: ResponseObserver;
  /** All metrics in the text format of Prometheus, with its media type. */
  read: () => Promise<{ text: string; contentType: string }>;
};

/** The parts of a server that the metrics show. They are read only when the metrics are. */
export type Watched = {
  /** The name of the service for machines, with which the names of its metrics begin. */
  service: string;
  operations: Contract['operations'];
  storage: Pick<Storage, 'ping' | 'checkWrites' | 'load'>;
  /** The counters that all processes share; undefined if this process counts on its own. */
  sharedCounters: { readonly isUp: boolean } | undefined;
  /** Calls back after each call to Redis, with its milliseconds; undefined without Redis. */
  onRedisCall: ((listener: (milliseconds: number) => void) => void) | undefined;
  /** How many requests used a cached key that the storage did not confirm in time. */
  staleKeyUses: () => number;
  /** Everything that waits or is in progress, with its bound. */
  queues: () => Queue[];
  /** The number of refusals because of a full queue, by reason. */
  shed: () => Record<string, number>;
  droppedLines: DroppedLines;
};

export type Queue = { name: string; length: number; limit: number };

/** In seconds; most responses take less than two milliseconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In seconds; a stream lasts as long as its caller is connected. */
const streamBuckets = [0.1, 1, 10, 60, 300, 1_800, 3_600, 21_600];

/**
 * Creates the Prometheus metrics of this process: requests, refusals, queues, the storage, Redis and the log, and prom-client's
 * default metrics. Callers cannot choose label values, so the contract bounds the number of series.
 */
export function createMetrics(watched: Watched): Metrics {
  const registry = new Registry();
  const place = { registry, prefix: watched.service.replaceAll('-', '_') };
  collectDefaultMetrics({ register: registry });
  const observe = addRequests(place, watched);
  addHealth(place, watched);
  addQueues(place, watched);
  addStorage(place, watched);
  addLog(place, watched);
  const read = async () => ({ text: await registry.metrics(), contentType: registry.contentType });
  return { registry, observe, read };
}

type Place = { registry: Registry; prefix: string };

function addRequests({ registry, prefix }: Place, { operations }: Watched): ResponseObserver {
  const registers = [registry];
  const durations = new Histogram({
    name: `${prefix}_request_duration_seconds`,
    help: 'Time from the headers of a request to the end of its response, or to the beginning of a streamed body, by operation and status.',
    labelNames: ['operation', 'status'],
    ...{ buckets, registers },
  });
  const streams = new Histogram({
    name: `${prefix}_stream_duration_seconds`,
    help: 'Time from the beginning of a streamed body to its end, by operation.',
    labelNames: ['operation'],
    ...{ buckets: streamBuckets, registers },
  });
  const refusals = new Counter({
    name: `${prefix}_refusals_total`,
    help: 'Error responses, by code.',
    labelNames: ['code'],
    registers,
  });
  const aborted = new Counter({
    name: `${prefix}_aborted_responses_total`,
    help: 'Responses whose connection closed before they were sent in full.',
    registers,
  });
  const deprecatedCalls = new Counter({
    name: `${prefix}_deprecated_calls_total`,
    help: 'Requests for operations that the contract has deprecated, by operation.',
    labelNames: ['operation'],
    registers,
  });
  return (response) => {
    const { operation, status, code, milliseconds, streamMilliseconds } = response;
    durations.observe({ operation, status }, milliseconds / 1_000);
    if (streamMilliseconds !== undefined) streams.observe({ operation }, streamMilliseconds / 1_000);
    if (code !== undefined) refusals.inc({ code });
    if (response.aborted) aborted.inc();
    if (isDeprecated(operations, operation)) deprecatedCalls.inc({ operation });
  };
}

function addHealth({ registry, prefix }: Place, { storage, sharedCounters, staleKeyUses }: Watched): void {
  new Counter({
    name: `${prefix}_stale_key_uses_total`,
    help: 'Requests with a cached API key that the storage did not confirm in time.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(staleKeyUses());
    },
  });
  addCheck(`${prefix}_storage_up`, '1 while the storage answers reads, 0 while it does not.', storage.ping);
  addCheck(
    `${prefix}_storage_writable`,
    '1 while the storage accepts writes, 0 while it does not.',
    storage.checkWrites,
  );
  function addCheck(name: string, help: string, check: () => Promise<void>): void {
    new Gauge({
      ...{ name, help, aggregator: 'min', registers: [registry] },
      async collect() {
        const answer = check().then(
          () => 1,
          () => 0,
        );
        this.set(await answer);
      },
    });
  }
  if (sharedCounters === undefined) return;
  new Gauge({
    name: `${prefix}_shared_counters_up`,
    help: '1 while this process reaches the shared counters, 0 while it counts in the database instead of Redis, or by itself.',
    ...{ aggregator: 'min', registers: [registry] },
    collect() {
      this.set(sharedCounters.isUp ? 1 : 0);
    },
  });
}

function addQueues({ registry, prefix }: Place, { queues, shed }: Watched): void {
  const registers = [registry];
  const labelNames = ['queue'];
  new Gauge({
    name: `${prefix}_queue_length`,
    help: 'What waits or is in progress, by queue.',
    ...{ labelNames, registers },
    collect() {
      for (const { name, length } of queues()) this.set({ queue: name }, length);
    },
  });
  new Gauge({
    name: `${prefix}_queue_limit`,
    help: 'The most that a queue takes; what exceeds it is refused.',
    ...{ labelNames, registers },
    collect() {
      for (const { name, limit } of queues()) this.set({ queue: name }, limit);
    },
  });
  new Counter({
    name: `${prefix}_shed_requests_total`,
    help: 'Operations and connections that were refused because a queue was full, by reason.',
    ...{ labelNames: ['reason'], registers },
    collect() {
      setTo(this, 'reason', shed());
    },
  });
}

function addStorage({ registry, prefix }: Place, { storage: { load }, onRedisCall }: Watched): void {
  const registers = [registry];
  if (load?.connections !== undefined) {
    const { open, used, limit } = load.connections;
    const waits = new Histogram({
      name: `${prefix}_postgres_wait_seconds`,
      help: 'Time that a call waited for a connection to PostgreSQL, by kind of work.',
      labelNames: ['kind'],
      ...{ buckets, registers },
    });
    const durations = new Histogram({
      name: `${prefix}_postgres_call_duration_seconds`,
      help: 'Time that a statement or a transaction took once it had a connection to PostgreSQL, by kind of work.',
      labelNames: ['kind'],
      ...{ buckets, registers },
    });
    load.onCall(({ kind, queuedAt, startedAt, endedAt }) => {
      waits.observe({ kind }, (startedAt - queuedAt) / 1_000);
      durations.observe({ kind }, (endedAt - startedAt) / 1_000);
    });
    new Gauge({
      name: `${prefix}_postgres_connections`,
      help: 'Connections of the pool: open, used, and the limit.',
      ...{ labelNames: ['state'], registers },
      collect() {
        this.set({ state: 'open' }, open());
        this.set({ state: 'used' }, used());
        this.set({ state: 'limit' }, limit);
      },
    });
  }
  if (onRedisCall === undefined) return;
  const redis = new Histogram({
    name: `${prefix}_redis_call_duration_seconds`,
    help: 'Time that a request waited for Redis to count it.',
    ...{ buckets, registers },
  });
  onRedisCall((milliseconds) => redis.observe(milliseconds / 1_000));
}

function addLog({ registry, prefix }: Place, { droppedLines }: Watched): void {
  new Counter({
    name: `${prefix}_log_lines_dropped_total`,
    help: 'Lines of the log that were dropped because it could not be written fast enough: errors, and others.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      setTo(this, 'kind', { ...droppedLines });
    },
  });
}

/** Shows counts that are kept elsewhere. */
function setTo(counter: Counter, label: string, counts: Record<string, number>): void {
  counter.reset();
  for (const [name, count] of Object.entries(counts)) counter.inc({ [label]: name }, count);
}
