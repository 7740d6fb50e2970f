import cluster from 'node:cluster';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { systemClock } from '../common/time.ts';
import type { Config } from '../config/config.ts';
import { createKeyRing } from '../keys/key-ring.ts';
import { createLimiter } from '../limiter/limiter.ts';
import { listenForMetrics } from '../metrics/listener.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Storage } from '../operations/storage/index.ts';
import { createDevelopmentKey, developmentKeyFile } from '../process/development-key.ts';
import { startMaintenance } from '../process/maintenance.ts';
import { handleWorkerRequests, ipcChannel } from './counting.ts';
import { supervise } from './supervise.ts';

/**
 * Runs `config.workers` processes on one port. The primary process serves no requests: it counts for the workers unless
 * Redis or the database does, aggregates their metrics, and replaces workers that end.
 *
 * @throws WorkerStartError if the workers cannot start
 */
export async function startWorkers({ config, log, storage }: { config: Config; log: Logger; storage: Storage }) {
  const keys = createKeyRing(storage.keys, systemClock, config.mode);
  const limiter = await createLimiter(storage.usage, systemClock);
  const metrics = config.metrics === undefined ? undefined : await listenForMetrics(metricsOfWorkers(), config.metrics);
  // The workers accept connections themselves. With Node's default, the primary process hands them out, and a connection on
  // its way to a worker that is killed stays open forever; with SCHED_NONE the operating system resets it.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: fileURLToPath(new URL('../main.ts', import.meta.url)), args: [] });
  const workers = await supervise({
    count: config.workers,
    log,
    environment: compileCache(),
    onStart: (worker) => handleWorkerRequests(limiter, ipcChannel(worker.process)),
  });
  const maintenance = startMaintenance({ storage, limiter, clock: systemClock, log });

  async function stop(): Promise<void> {
    await workers.stop();
    await maintenance.stop();
    await metrics?.close();
    await storage.close();
  }

  const developmentKey = createDevelopmentKey(keys, developmentKeyFile(config.databaseUrl), systemClock);
  return { port: workers.port, metricsPort: metrics?.port, keys, developmentKey, stop };
}

/** The metrics of all workers: sums, or means and minima of values that cannot be added. */
function metricsOfWorkers(): Pick<Metrics, 'read'> {
  const registry = new AggregatorRegistry();
  return { read: async () => ({ text: await registry.clusterMetrics(), contentType: registry.contentType }) };
}

/** Lets the workers reuse the compile cache of this process. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
