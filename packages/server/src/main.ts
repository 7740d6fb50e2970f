/** Starts the server and stops it: the only file, beside cli.ts and workers/worker.ts, that touches `process`. */
import cluster from 'node:cluster';
import { type Logger, pino } from 'pino';
import { systemClock } from './common/time.ts';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import { firstCalls } from './operations/index.ts';
import { openStorage } from './operations/storage/index.ts';
import { banner } from './process/banner.ts';
import { developmentKey, developmentKeyFile } from './process/development-key.ts';
import { createLogOutput, type LogOutput } from './process/log-output.ts';
import { type RunningServer, startServer } from './start.ts';
import { StorageSetupError } from './storage/storage.ts';
import { WorkerStartError } from './workers/supervise.ts';

/** Milliseconds: one press of Ctrl-C reaches this process several times, from the terminal and from its parent process. */
const SAME_SIGNAL = 1_000;

/** Milliseconds in which the last lines of the log must be written. */
const LAST_LINES = 1_000;

// Below what `stop` needs: a signal may come while this waits.
try {
  await run(readConfig(process.env));
} catch (error) {
  console.error(plainReason(error));
  process.exit(1);
}

async function run(config: Config): Promise<void> {
  // Node makes a pipe non-blocking when it is asked for `stdout`.
  const output = createLogOutput(process.stdout.fd);
  const log = pino({ level: config.logLevel }, output);
  const starting = start(config, log);
  stopOnSignal(starting, output);
  await starting;
}

/** Starts the server, and shows where it is. */
async function start(config: Config, log: Logger): Promise<RunningServer> {
  const server = await startAsConfigured(config, log);
  if (cluster.isWorker) return server;
  const file = developmentKeyFile(config.databaseUrl);
  const key = config.production ? undefined : { secret: await developmentKey(server.keys, file, systemClock), file };
  // In production standard output is for the log alone.
  const show = config.production ? console.error : console.log;
  const { port, metricsPort } = server;
  show(banner({ config, port, metricsPort, developmentKey: key, firstCalls }));
  return server;
}

/** One process, or as many as are asked for, each of which begins here, too. */
async function startAsConfigured(config: Config, log: Logger): Promise<RunningServer> {
  if (config.workers === 1) return startServer({ config, log });
  if (cluster.isPrimary) return (await import('./workers/primary.ts')).startWorkers({ config, log });
  const { connectToPrimary } = await import('./workers/worker.ts');
  const storage = await openStorage(config.databaseUrl);
  return startServer({ config, log, storage, ...connectToPrimary(config, storage) });
}

/** The first signal drains and exits 0, also when it comes during the start; a second one does not wait. */
function stopOnSignal(starting: Promise<RunningServer>, output: LogOutput): void {
  let stoppingSince: number | undefined;
  const stop = async () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    // A start that fails says why itself.
    const server = await starting.catch(() => undefined);
    if (server === undefined) return;
    await server.stop();
    await output.flush(LAST_LINES);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

/** One plain reason; the stack only for an unexpected error. */
function plainReason(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof WorkerStartError) return error.message;
  if (error instanceof StorageSetupError) return `${error.message} Look at DATABASE_URL.`;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  // Node ends its message with the address.
  const [address] = error.message.split(' ').slice(-1);
  if (code === 'EADDRINUSE')
    return `${address} is in use by another program. Set PORT (or METRICS_PORT) to another one: PORT=3001 npm start`;
  if (code === 'EACCES') return 'This port may not be used. Set PORT to one above 1023.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'HOST is not an address of this machine.';
  return error.stack ?? error.message;
}
