import cluster, { type Worker } from 'node:cluster';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Contract } from '../common/contract.ts';
import { systemClock, timeouts, withTimeout } from '../common/time.ts';
import type { Config } from '../config/config.ts';
import { createKeyRing } from '../keys/key-ring.ts';
import { listenForMetrics } from '../metrics/listener.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createDevelopmentKey, developmentKeyFile } from '../process/development-key.ts';
import { startMaintenance } from '../process/maintenance.ts';
import { runStopSteps, type StopStep } from '../process/stop-steps.ts';
import { createLimiter } from '../rate-limit/limiter.ts';
import { handleWorkerRequests, ipcChannel } from '../rate-limit/worker-limiter.ts';
import type { Storage } from '../storage/storage.ts';
import { runningWorkers, supervise } from './supervise.ts';
import { isMetricsRequest, type MetricsRequest } from './worker.ts';

/** `main` is the file that each worker runs. */
type WorkersParts = { service: { contract: Contract; main: string }; config: Config; log: Logger; storage: Storage };

/**
 * Runs `config.workers` processes on one port. The primary process serves no requests: it counts for the workers unless
 * Redis or the database does, aggregates their metrics, and replaces workers that end.
 *
 * @throws WorkerStartError if the workers cannot start
 */
export async function startWorkers({ service, config, log, storage }: WorkersParts) {
  const { contract, main } = service;
  const keys = createKeyRing(storage.keys, contract, systemClock, config.mode);
  const limiter = await createLimiter(storage.usage, contract, systemClock);
  const metrics = config.metrics === undefined ? undefined : await listenForMetrics(metricsOfWorkers(), config.metrics);
  // The workers accept connections themselves. With Node's default, the primary process hands them out, and a connection on
  // its way to a worker that is killed stays open forever; with SCHED_NONE the operating system resets it.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: fileURLToPath(main), args: [] });
  const workers = await supervise({
    count: config.workers,
    log,
    environment: compileCache(),
    onStart: (worker) => handleWorkerRequests(limiter, ipcChannel(worker.process)),
  });
  const maintenance = startMaintenance({ contract, storage, limiter, clock: systemClock, log });
  // A worker that hangs would keep the port.
  process.once('exit', () => {
    for (const worker of runningWorkers()) worker.process.kill('SIGKILL');
  });

  async function stop(): Promise<boolean> {
    const isEachComplete = await workers.stop();
    const steps: StopStep[] = [
      ['save usage', maintenance.stop],
      ['close the metrics', async () => metrics?.close()],
      ['close the database', () => storage.close()],
    ];
    return (await runStopSteps(steps, log)) && isEachComplete;
  }

  const developmentKey = createDevelopmentKey(
    keys,
    service.contract,
    developmentKeyFile(config.databaseUrl),
    systemClock,
  );
  return { port: workers.port, metricsPort: metrics?.port, keys, developmentKey, stop };
}

type WorkerMetrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * The metrics of all workers that answer in time: sums, or means and minima of values that cannot be added. prom-client's own
 * `clusterMetrics` fails after five seconds if one worker hangs, starts or has just ended.
 */
function metricsOfWorkers(): Pick<Metrics, 'read'> {
  let lastNumber = 0;
  return {
    async read() {
      lastNumber += 1;
      const asked = runningWorkers().map(async (worker) => metricsOf(worker, lastNumber));
      const answers = await Promise.all(asked.map((answer) => answer.catch(() => [])));
      const registry = AggregatorRegistry.aggregate(answers.filter((metrics) => metrics.length > 0));
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

function metricsOf(worker: Worker, number: number): Promise<WorkerMetrics> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerMetrics>();
  const listen = (message: unknown) => {
    if (isMetricsAnswer(message) && message.number === number) resolve(message.metrics);
  };
  worker.on('message', listen);
  worker.send({ type: 'metrics', number }, (error) => void (error !== null && reject(error)));
  return withTimeout(promise, timeouts.workerMetrics).finally(() => worker.off('message', listen));
}

function isMetricsAnswer(message: unknown): message is MetricsRequest & { metrics: WorkerMetrics } {
  return isMetricsRequest(message) && 'metrics' in message && Array.isArray(message.metrics);
}

/** Lets the workers reuse the compile cache of this process. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
