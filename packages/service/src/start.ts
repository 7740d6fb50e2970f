import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AppParts, createApp } from './app.ts';
import type { Contract } from './common/facts.ts';
import { type Clock, systemClock } from './common/time.ts';
import { type Config, ConfigError, importError } from './config/config.ts';
import { createHttpServer, createMessages, listen, type Timeouts, timeoutsFor } from './http/server.ts';
import { assertMode, createKeyRing, type KeyRing } from './keys/key-ring.ts';
import { listenForMetrics } from './metrics/listener.ts';
import type { Queue } from './metrics/metrics.ts';
import { accessLog } from './middleware/observe-responses.ts';
import { compileContract } from './openapi/compiled-contract.ts';
import { errorTextOf, plainError, problemDetails, problemOfErrorBody } from './openapi/error-body.ts';
import type { AnyOperations } from './openapi/operation.ts';
import { problemOfVerify, usesKeys } from './openapi/security.ts';
import type { ReplaceableParts, ServiceParts } from './openapi/service-parts.ts';
import { pages } from './pages/pages.ts';
import { createDevelopmentKey, developmentKeyFile } from './process/development-key.ts';
import { startJobs, timesOf } from './process/jobs.ts';
import { startMaintenance } from './process/maintenance.ts';
import { runStopSteps, type StopStep } from './process/stop-steps.ts';
import { watchDescriptors } from './process/watch-descriptors.ts';
import { ConcurrencyLimit, concurrency } from './rate-limit/concurrency.ts';
import { type OpenLimiter, openLimiter } from './rate-limit/limiter.ts';
import { openStorageWith } from './storage/open.ts';
import type { Storage, StoreTypes } from './storage/storage.ts';

export type ServerParts<Store extends StoreTypes> = {
  service: ServiceParts<Store>;
  config: Config;
  log: Logger;
  clock?: Clock;
  operations?: AnyOperations;
  storage?: Storage<Store>;
  /** Replaces the limiter that the server would open itself. The server closes it. */
  limiter?: OpenLimiter | undefined;
  droppedLines?: () => number;
  timeouts?: Partial<Timeouts>;
};

export type RunningServer = {
  /** The port that the server listens on, even if the configured port is 0. */
  port: number;
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

/**
 * Starts a server: checks the parts of the service, opens the telemetry, the storage, the counters and the metrics, listens, and starts the
 * maintenance. A stop closes them in the opposite order. Rejects, with everything closed, if one of them cannot be opened.
 */
export async function startServer<Store extends StoreTypes>(parts: ServerParts<Store>): Promise<RunningServer> {
  const { service, config, log, clock = systemClock, droppedLines = () => 0 } = parts;
  const ownBody = service.contract.errorForm === 'problem' ? problemDetails : plainError;
  const { store, counters, verify = {}, errorBody = ownBody } = service;
  const contract = compileContract(service.contract);
  const operations = operationsOf(service.contract, parts.operations ?? service.operations, { config, log });
  const problem = problemOfVerify(service.contract, verify, config.mode);
  if (problem !== undefined) throw new OperationsError(problem);
  const misfit = problemOfErrorBody(contract, errorBody);
  if (misfit !== undefined && config.mode === 'live') throw new OperationsError(misfit);
  if (misfit !== undefined) log.warn(misfit);
  for (const job of Object.entries(service.jobs ?? {})) timesOf(...job);
  const errorText = errorTextOf(errorBody, ownBody, service.contract, log);
  const { redisUrl } = config;
  const openCounters =
    redisUrl === undefined
      ? undefined
      : optionalPart('REDIS_URL', 'counters', counters && (() => counters(redisUrl, store.name)));
  const openSandboxes = config.sandboxes ? optionalPart('SANDBOXES', 'sandboxes', service.sandboxes) : undefined;

  const closing: StopStep[] = [];
  try {
    return await open();
  } catch (error) {
    await runStopSteps(closing, log);
    throw error;
  }

  async function open(): Promise<RunningServer> {
    const { telemetry: exporting, metrics: measuring } = config;
    const telemetry =
      exporting &&
      (await (
        await import('./metrics/telemetry.ts')
      ).startTelemetry(contract, { service: store.name, ...exporting }, log));
    closing.unshift(['send the telemetry', async () => telemetry?.stop()]);

    const { databaseUrl, migrate, databaseLimits } = config;
    const storage = parts.storage ?? (await openStorageWith(store, databaseUrl, migrate, databaseLimits));
    closing.unshift(['close the database', () => storage.close()]);
    if (parts.storage === undefined) await assertMode(storage.keys, config.mode);

    const counting =
      parts.limiter ??
      (await openLimiter({
        ...{ storage, limits: service.contract, clock, log },
        ...{ timeoutMs: config.countersTimeout, whenDown: config.countersDown },
        openCounters,
      }));
    closing.unshift(['close the shared counters', async () => counting.close()]);

    const running = new ConcurrencyLimit();
    const metrics =
      measuring &&
      (await import('./metrics/metrics.ts')).createMetrics({
        prefix: service.contract.metricPrefix ?? store.name.replaceAll('-', '_'),
        storage,
        counted: counting.counted,
        queues: () => [
          { name: 'connections', length: connections.open, limit: config.maxConnections },
          { name: 'operations', length: running.running, limit: concurrency.total },
          ...storageQueues(storage),
        ],
        shed: () => ({ ...running.refused, ...connections.refused }),
        droppedLines,
      });
    let isDraining = false;
    const keys = createKeyRing(storage.keys, service.contract, clock, config.mode);
    const developmentKey = createDevelopmentKey(keys, service.contract, developmentKeyFile(config.databaseUrl), clock);
    if (config.development && parts.storage === undefined) {
      const key = usesKeys(service.contract, verify) ? await keys.verify(await developmentKey(), clock()) : undefined;
      await service.seeds?.(storage, key?.id, clock());
    }
    const observers = [accessLog(log), ...(metrics === undefined ? [] : [metrics.observe])];
    const { limiter } = counting;
    const appParts: AppParts<Store> = {
      ...{ realm: store.name, contract, operations, verify, errorText },
      ...{ storage, keys, limiter, running, config, clock, log },
      middleware: service.middleware?.({ storage, clock, log, config }),
      observers,
      traceRequests: telemetry?.traceRequests,
      pages: pages({
        ...{ contract: service.contract, folder: service.folder, storage, config, isDraining: () => isDraining },
      }),
    };
    const app = createApp(appParts);
    const messages = createMessages(app);
    const appWith = (others: Partial<ReplaceableParts<Store>>) =>
      Object.assign(createApp({ ...appParts, ...others }), { request: app.request, response: app.response });
    const listener = (await openSandboxes?.({ ...appParts, service, app, appWith })) ?? app;
    const timeouts = { ...timeoutsFor(service.contract), ...parts.timeouts };
    const { maxConnections } = config;
    const { server, connections } = createHttpServer(listener, {
      ...{ messages, contract, errorText, limiter, observers, timeouts, maxConnections },
    });
    const metricsListener = metrics && measuring && (await listenForMetrics(metrics, measuring));
    closing.unshift(['close the metrics', async () => metricsListener?.close()]);
    const port = await listen(server, config.port, config.host);

    const jobs = startJobs(service.jobs ?? {}, { storage, clock, log, observe: metrics?.observeJob });
    closing.unshift(['end the jobs', jobs.stop]);
    const maintenance = startMaintenance({ contract: service.contract, storage, limiter, clock, log });
    closing.unshift(['save the usage', maintenance.stop]);

    const descriptors = watchDescriptors(log);
    closing.unshift(['stop watching file descriptors', async () => descriptors.stop()]);

    async function stop(): Promise<boolean> {
      isDraining = true;
      if (config.drainDelay > 0) {
        // During the delay, the load balancer notices the 503 of /readyz and stops sending requests.
        connections.drain.announce();
        await setTimeout(config.drainDelay);
      }
      await connections.drain.finish(config.drainDeadline);
      return runStopSteps(closing, log);
    }

    return { port, metricsPort: metricsListener?.port, keys, developmentKey, stop };
  }
}

/**
 * Returns what opens a part for a setting.
 * @throws ConfigError if the service has no such part. So does the function if the package of the part is not installed
 */
function optionalPart<Args extends unknown[], Part>(
  setting: 'REDIS_URL' | 'SANDBOXES',
  name: 'counters' | 'sandboxes',
  open: ((...args: Args) => Promise<Part>) | undefined,
): (...args: Args) => Promise<Part> {
  const library = name === 'counters' ? '@contract-first/redis' : '@contract-first/sandbox';
  const message = `${setting} is set, but the service has no ${name}. Install ${library}, and pass it to createService as \`${name}\`.`;
  if (open === undefined) throw new ConfigError([message]);
  return (...args) => open(...args).catch((error: unknown) => Promise.reject(importError(error, message)));
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
    const others = missing.length > 5 ? ` and ${missing.length - 5} others` : '';
    const reason = `There is no code for ${missing.slice(0, 5).join(', ')}${others}`;
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
