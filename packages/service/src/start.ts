import type { RequestListener, Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { type AppParts, createApp } from './app.ts';
import type { Contract } from './common/contract.ts';
import { type Clock, systemClock } from './common/time.ts';
import { type Config, ConfigError } from './config/config.ts';
import { compileContract } from './contract/compiled-contract.ts';
import type { AnyOperations } from './contract/operation.ts';
import { problemOfVerify, usesKeys } from './contract/security.ts';
import type { ServiceParts } from './contract/service-parts.ts';
import type { Connections } from './http/connection.ts';
import { createHttpServer, createMessages, listen, type Timeouts, timeoutsFor } from './http/server.ts';
import { createKeyRing, type KeyRing } from './keys/key-ring.ts';
import { listenForMetrics } from './metrics/listener.ts';
import type { Metrics, Queue, Watched } from './metrics/metrics.ts';
import { accessLog } from './middleware/observe-responses.ts';
import { pages } from './pages/pages.ts';
import { createDevelopmentKey, developmentKeyFile } from './process/development-key.ts';
import type { DroppedLines } from './process/log-output.ts';
import { startMaintenance } from './process/maintenance.ts';
import { runStopSteps, type StopStep } from './process/stop-steps.ts';
import { watchDescriptors } from './process/watch-descriptors.ts';
import { ConcurrencyLimit, concurrency } from './rate-limit/concurrency.ts';
import type { SharedCounters } from './rate-limit/counters.ts';
import { type OpenLimiter, openLimiter } from './rate-limit/limiter.ts';
import { openStorageWith } from './storage/open.ts';
import type { Storage, StoreTypes } from './storage/storage.ts';

export type ServerParts<Store extends StoreTypes> = {
  service: ServiceParts<Store>;
  config: Config;
  log: Logger;
  clock?: Clock;
  /** Replaces the operations of the service. */
  operations?: AnyOperations;
  storage?: Storage<Store>;
  /** Replaces the limiter that the server would open itself. The server closes it. */
  limiter?: OpenLimiter | undefined;
  /** The number of log lines that were dropped. */
  droppedLines?: DroppedLines;
  /** Overrides of the default timeouts. */
  timeouts?: Partial<Timeouts>;
};

export type RunningServer = {
  /** The port that the server listens on, even if the configured port is 0. */
  port: number;
  /** The port of the metrics; undefined when they are off. */
  metricsPort: number | undefined;
  keys: KeyRing;
  /** The key for trying the API on a development machine; created on the first call. */
  developmentKey: () => Promise<string>;
  /**
   * Waits for requests in progress, saves the usage, and closes the storage: for at most `drainDelay` + `drainDeadline` + CLOSING_TIME
   * milliseconds. Resolves to whether everything was saved and closed.
   */
  stop: () => Promise<boolean>;
};

/** Opens the storage, listens, and starts the maintenance. Rejects if the storage or a port cannot be opened. */
export async function startServer<Store extends StoreTypes>(parts: ServerParts<Store>): Promise<RunningServer> {
  const { service, config, log } = parts;
  const shared = await openShared(parts);
  const { contract, storage, keys, counting, limiter, developmentKey, clock } = shared;
  const monitoring = await startMonitoring(shared, () => connections, parts.droppedLines);
  const { metrics, telemetry, observers } = monitoring;
  let isDraining = false;
  const appParts: AppParts<Store> = {
    ...shared,
    observers,
    traceRequests: telemetry?.traceRequests,
    pages: pages({
      ...shared,
      contract: service.contract,
      isDraining: () => isDraining,
      developmentKey: config.development && usesKeys(service.contract, service.verify) ? developmentKey : undefined,
    }),
  };
  const app = createApp(appParts);
  const messages = createMessages(app);
  const listener = config.sandboxes ? await withSandboxes(app, appParts, service) : app;
  const { server, connections } = createHttpServer(listener, {
    messages,
    contract,
    limiter,
    observers,
    timeouts: { ...timeoutsFor(service.contract), ...parts.timeouts },
    maxConnections: config.maxConnections,
  });
  const { port, metricsListener } = await openPorts(server, metrics, config).catch(async (error: unknown) => {
    counting.close();
    await storage.close();
    throw error;
  });
  const work = { everyMinute: async () => service.everyMinute?.(storage, clock) };
  const maintenance = startMaintenance({ contract: service.contract, storage, limiter, ...work, clock, log });

  const descriptors = watchDescriptors(log);

  async function stop(): Promise<boolean> {
    isDraining = true;
    descriptors.stop();
    if (config.drainDelay > 0) {
      // During the delay, the load balancer notices the 503 of /readyz and stops sending requests.
      connections.announceClose();
      await setTimeout(config.drainDelay);
    }
    // Before connections close: clients reconnect at once, and must not reach this server again.
    await connections.stopListening();
    await connections.drain(config.drainDeadline);
    const steps: StopStep[] = [
      ['save the usage', maintenance.stop],
      ['close the shared counters', async () => counting.close()],
      // After draining, so that the metrics remain readable during it.
      ['close the metrics', async () => metricsListener?.close()],
      ['close the database', () => storage.close()],
      ['send the telemetry', async () => telemetry?.stop()],
    ];
    return runStopSteps(steps, log);
  }

  return { port, metricsPort: metricsListener?.port, keys, developmentKey, stop };
}

/** Opens what the requests, the monitoring and the maintenance share. */
async function openShared<Store extends StoreTypes>(parts: ServerParts<Store>) {
  const { service, config, log, clock = systemClock } = parts;
  const { store, folder, middleware } = service;
  const contract = compileContract(service.contract);
  const operations = operationsOf(service.contract, parts.operations ?? service.operations, { config, log });
  const { verify = {} } = service;
  const problem = problemOfVerify(service.contract, verify, config.mode);
  if (problem !== undefined) throw new OperationsError(problem);
  const openCounters = openerOfCounters(service, config.redisUrl);
  const storage = parts.storage ?? (await openStorageWith(store, config.databaseUrl, config.migrate));
  const keys = createKeyRing(storage.keys, service.contract, clock, config.mode);
  const developmentKey = createDevelopmentKey(keys, service.contract, developmentKeyFile(config.databaseUrl), clock);
  const counting =
    parts.limiter ??
    (await openLimiter({
      ...{ storage, limits: service.contract, clock, log },
      ...{ timeoutMs: config.countersTimeout, whenDown: config.countersDown },
      openCounters,
    }));
  return {
    contract,
    operations,
    verify,
    service: store.name,
    folder,
    middleware,
    storage,
    keys,
    developmentKey,
    counting,
    limiter: counting.limiter,
    running: new ConcurrencyLimit(),
    config,
    clock,
    log,
  };
}

/** @throws ConfigError if there is a URL and the service has no part that opens counters */
function openerOfCounters<Store extends StoreTypes>(
  { counters, store }: ServiceParts<Store>,
  url: string | undefined,
): (() => Promise<SharedCounters>) | undefined {
  if (url === undefined) return undefined;
  if (counters === undefined) {
    throw new ConfigError([
      'REDIS_URL is set, but the service has no counters for it. Install @contract-first/redis, and pass it to createService as `counters`.',
    ]);
  }
  return () => counters(url, store.name);
}

/** @throws ConfigError if the service has no sandboxes, or their package is not installed */
async function withSandboxes<Store extends StoreTypes>(
  app: Express,
  parts: AppParts<Store>,
  service: ServiceParts<Store>,
): Promise<RequestListener> {
  const missing = new ConfigError([
    'SANDBOXES is on, but the service has none. Install @contract-first/sandbox, and pass it to createService as `sandboxes`.',
  ]);
  if (service.sandboxes === undefined) throw missing;
  try {
    return await service.sandboxes({
      ...parts,
      service,
      app,
      appWith: (others) =>
        Object.assign(createApp({ ...parts, ...others }), { request: app.request, response: app.response }),
    });
  } catch (error) {
    const isNotInstalled = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw isNotInstalled ? missing : error;
  }
}

type Shared = Awaited<ReturnType<typeof openShared<StoreTypes>>>;

/** Starts what observes the server. prom-client and OpenTelemetry are loaded only if they are enabled. */
async function startMonitoring(
  shared: Shared,
  connections: () => Connections,
  droppedLines: DroppedLines = { errors: 0, others: 0 },
) {
  const { contract, service, config, storage, log } = shared;
  const watched = watchedParts(shared, connections, droppedLines);
  const metrics = config.metrics && (await import('./metrics/metrics.ts')).createMetrics(watched);
  const telemetry =
    config.telemetry &&
    (await (await import('./metrics/telemetry.ts')).startTelemetry(contract, { service, ...config.telemetry }, log));
  if (telemetry !== undefined) storage.load?.onCall(telemetry.onStorageCall);
  const observers = [accessLog(log), ...(metrics === undefined ? [] : [metrics.observe])];
  return { metrics, telemetry, observers };
}

function watchedParts(
  { service, contract, config, storage, counting, running }: Shared,
  connections: () => Connections,
  droppedLines: DroppedLines,
): Watched {
  return {
    prefix: contract.contract.metricPrefix ?? service.replaceAll('-', '_'),
    operations: contract.contract.operations,
    storage,
    counted: counting.counted,
    queues: () => [
      { name: 'connections', length: connections().open, limit: config.maxConnections },
      { name: 'operations', length: running.running, limit: concurrency.total },
      ...storageQueues(storage),
    ],
    shed: () => ({ ...running.refused, ...connections().refused }),
    droppedLines,
  };
}

function storageQueues({ load }: Pick<Storage, 'load'>): Queue[] {
  if (load === undefined) return [];
  const { maxWaiting: limit = concurrency.writes } = load;
  return Object.entries(load.waiting()).map(([kind, length]) => ({ name: `storage_${kind}`, length, limit }));
}

/** The operations or the functions of `verify` and the contract do not match. The types exclude this, but Node.js does not check them. */
export class OperationsError extends Error {
  override name = 'OperationsError';
}

/**
 * The operation of each ID in the contract; undefined if it has no code.
 * @throws OperationsError if the contract does not have an operation, or in production has no `not_implemented` for those without code
 */
function operationsOf(
  contract: Contract,
  operations: AnyOperations,
  { config, log }: Pick<ServerParts<StoreTypes>, 'config' | 'log'>,
): AnyOperations {
  const extra = Object.keys(operations).find((id) => !Object.hasOwn(contract.operations, id));
  if (extra !== undefined) {
    throw new OperationsError(
      `The contract has no operation ${extra}: remove its implementation, or add it to openapi.yaml and run npm run generate.`,
    );
  }
  const own = (id: string) => (Object.hasOwn(operations, id) ? operations[id] : undefined);
  const all = Object.keys(contract.operations).map((id) => [id, own(id)] as const);
  const missing = all.flatMap(([id, operation]) => (operation === undefined ? [id] : []));
  if (missing.length > 0) {
    const reason = `There is no code for ${missing.join(', ')}`;
    // Otherwise `npm run dev` would stop while an operation is being written.
    if (config.production && !Object.hasOwn(contract.errorStatus, 'not_implemented')) {
      throw new OperationsError(
        `${reason}: run npm run new -- operation ${missing[0]}, or add the error code not_implemented to openapi.yaml.`,
      );
    }
    log.warn(`${reason}: a test server responds with examples, and a live server with not_implemented.`);
  }
  return Object.fromEntries(all);
}

async function openPorts(server: Server, metrics: Metrics | undefined, config: Config) {
  const isEnabled = metrics !== undefined && config.metrics !== undefined;
  const metricsListener = isEnabled ? await listenForMetrics(metrics, config.metrics) : undefined;
  try {
    return { port: await listen(server, config.port, config.host), metricsListener };
  } catch (error) {
    await metricsListener?.close();
    throw error;
  }
}
