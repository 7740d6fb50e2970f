import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ResponseObserver } from '../common/observed-response.ts';
import type { Storage } from '../storage/storage.ts';

export type Metrics = {
  registry: Registry;
  observe: ResponseObserver;
  observeJob: (job: string, result: 'done' | 'failed', milliseconds: number) => void;
  /** All metrics in the text format of Prometheus, with its media type. */
  read: () => Promise<{ text: string; contentType: string }>;
};

/** The parts of a server that the metrics show. They are read only when the metrics are. */
export type Watched = {
  prefix: string;
  storage: Pick<Storage, 'ping' | 'load'>;
  /** The requests that shared counters have counted, and failed to count; undefined if this process counts on its own. */
  counted: Readonly<Record<'answered' | 'failed', number>> | undefined;
  queues: () => Queue[];
  shed: () => Record<string, number>;
  droppedLines: () => number;
};

export type Queue = { name: string; length: number; limit: number };

/** In seconds; most responses take less than two milliseconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In seconds; a stream lasts as long as its caller is connected. */
const streamBuckets = [0.1, 1, 10, 60, 300, 1_800, 3_600, 21_600];

/**
 * Creates the Prometheus metrics of this process: requests, refusals, queues, the storage, shared counters and the log, and prom-client's
 * default metrics. Callers cannot choose label values, so the contract bounds the number of series.
 */
export function createMetrics(watched: Watched): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const kit = metricsIn(registry, watched.prefix);
  const observe = addRequests(kit);
  addState(kit, watched);
  const jobs = kit.seconds(
    'job_duration_seconds',
    'Time that a run of a job took, by job and result: done or failed.',
    ['job', 'result'],
    streamBuckets,
  );
  const observeJob: Metrics['observeJob'] = (job, result, ms) => jobs.observe({ job, result }, ms / 1_000);
  const read = async () => ({ text: await registry.metrics(), contentType: registry.contentType });
  return { registry, observe, observeJob, read };
}

type Kit = ReturnType<typeof metricsIn>;

/** The kinds of metrics, which are added to the registry. Those with a function are read only when the metrics are. */
function metricsIn(registry: Registry, prefix: string) {
  const described = (name: string, help: string, ...labels: string[]) => {
    return { name: `${prefix}_${name}`, help, labelNames: labels.filter(Boolean), registers: [registry] };
  };
  return {
    counter: (name: string, help: string, label = '') => new Counter(described(name, help, label)),
    seconds: (name: string, help: string, labelNames: string[], limits = buckets) =>
      new Histogram({ ...described(name, help, ...labelNames), buckets: limits }),
    gauge: (name: string, help: string, read: Read, label = '') =>
      new Gauge({
        ...described(name, help, label),
        collect() {
          return report(read, label, (labels, amount) => this.set(labels, amount));
        },
      }),
    /** Counts that are kept elsewhere. */
    counts: (name: string, help: string, read: Read, label = '') =>
      new Counter({
        ...described(name, help, label),
        collect() {
          this.reset();
          return report(read, label, (labels, count) => this.inc(labels, count));
        },
      }),
  };
}

/** What a metric has: one number, or one for each value of its label. */
type Read = () => number | Readonly<Record<string, number>> | Promise<number>;

async function report(read: Read, label: string, set: (labels: Record<string, string>, value: number) => void) {
  const amounts = await read();
  if (typeof amounts === 'number') return set({}, amounts);
  for (const [value, amount] of Object.entries(amounts)) set({ [label]: value }, amount);
}

function addRequests({ counter, seconds }: Kit): ResponseObserver {
  const durations = seconds(
    'request_duration_seconds',
    'Time from the headers of a request to the end of its response, or to the beginning of a streamed body, by operation and status.',
    ['operation', 'status'],
  );
  const streams = seconds(
    'stream_duration_seconds',
    'Time from the beginning of a streamed body to its end, by operation.',
    ['operation'],
    streamBuckets,
  );
  const refusals = counter('refusals_total', 'Error responses, by code.', 'code');
  const aborted = counter(
    'aborted_responses_total',
    'Responses whose connection closed before they were sent in full.',
  );
  return (response) => {
    const { operation, status, code, milliseconds, streamMilliseconds } = response;
    durations.observe({ operation, status }, milliseconds / 1_000);
    if (streamMilliseconds !== undefined) streams.observe({ operation }, streamMilliseconds / 1_000);
    if (code !== undefined) refusals.inc({ code });
    if (response.aborted) aborted.inc();
  };
}

function addState({ gauge, counts }: Kit, watched: Watched): void {
  const { storage, counted, queues, shed, droppedLines } = watched;
  const isUp = () =>
    storage.ping().then(
      () => 1,
      () => 0,
    );
  const queued = (what: 'length' | 'limit') => () =>
    Object.fromEntries(queues().map(({ name, [what]: amount }) => [name, amount]));
  gauge('storage_up', '1 while the storage answers reads, 0 while it does not.', isUp);
  if (counted !== undefined) {
    counts(
      'shared_counts_total',
      'Requests that the counters of all processes have counted, and failed to count, by result.',
      () => counted,
      'result',
    );
  }
  gauge('queue_length', 'What waits or is in progress, by queue.', queued('length'), 'queue');
  gauge('queue_limit', 'The most that a queue takes; what exceeds it is refused.', queued('limit'), 'queue');
  counts(
    'shed_requests_total',
    'Operations and connections that were refused because a queue was full, by reason.',
    shed,
    'reason',
  );
  counts(
    'log_lines_dropped_total',
    'Lines of the log that were dropped because it could not be written fast enough.',
    droppedLines,
  );
  const { connections } = storage.load ?? {};
  if (connections === undefined) return;
  const { open, used, limit } = connections;
  const pool = () => ({ open: open(), used: used(), limit });
  gauge('postgres_connections', 'Connections of the pool: open, used, and the limit.', pool, 'state');
}
