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
  const described = (name: string, help: string, ...labels: (string | undefined)[]) => {
    const labelNames = labels.filter((label) => label !== undefined);
    return { name: `${prefix}_${name}`, help, labelNames, registers: [registry] };
  };
  return {
    counter: (name: string, help: string, label?: string) => new Counter(described(name, help, label)),
    seconds: (name: string, help: string, labelNames: string[], limits = buckets) =>
      new Histogram({ ...described(name, help, ...labelNames), buckets: limits }),
    check: (name: string, help: string, isUp: () => boolean | Promise<boolean>) =>
      new Gauge({
        ...described(name, help),
        async collect() {
          this.set((await isUp()) ? 1 : 0);
        },
      }),
    gauges: (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
      new Gauge({
        ...described(name, help, label),
        collect() {
          for (const [value, amount] of Object.entries(read())) this.set({ [label]: value }, amount);
        },
      }),
    /** Counts that are kept elsewhere. */
    counts: (name: string, help: string, read: () => number | Readonly<Record<string, number>>, label?: string) =>
      new Counter({
        ...described(name, help, label),
        collect() {
          this.reset();
          const counts = read();
          if (typeof counts === 'number') return this.inc(counts);
          for (const [value, count] of Object.entries(counts)) this.inc({ [`${label}`]: value }, count);
        },
      }),
  };
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

function addState({ check, gauges, counts }: Kit, watched: Watched): void {
  const { storage, counted, queues, shed, droppedLines } = watched;
  const succeeds = (call: Promise<void>) =>
    call.then(
      () => true,
      () => false,
    );
  const queued = (what: 'length' | 'limit') => () =>
    Object.fromEntries(queues().map(({ name, [what]: amount }) => [name, amount]));
  check('storage_up', '1 while the storage answers reads, 0 while it does not.', () => succeeds(storage.ping()));
  if (counted !== undefined) {
    counts(
      'shared_counts_total',
      'Requests that the counters of all processes have counted, and failed to count, by result.',
      () => counted,
      'result',
    );
  }
  gauges('queue_length', 'What waits or is in progress, by queue.', 'queue', queued('length'));
  gauges('queue_limit', 'The most that a queue takes; what exceeds it is refused.', 'queue', queued('limit'));
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
  gauges('postgres_connections', 'Connections of the pool: open, used, and the limit.', 'state', () => {
    return { open: open(), used: used(), limit };
  });
}
