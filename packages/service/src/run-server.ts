import { type Logger, pino } from 'pino';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import { usesKeys } from './openapi/security.ts';
import type { ServiceParts } from './openapi/service-parts.ts';
import { banner, localOrigin } from './process/banner.ts';
import { developmentKeyFile } from './process/development-key.ts';
import { JobError } from './process/jobs.ts';
import { createLogOutput, type LogOutput } from './process/log-output.ts';
import { CLOSING_TIME } from './process/stop-steps.ts';
import { OperationsError, type RunningServer, startServer } from './start.ts';
import {
  MigrationError,
  operatorMessage,
  StorageSetupError,
  StorageUnavailableError,
  type StoreTypes,
} from './storage/storage.ts';

/** Milliseconds in which repeated signals count as one: the terminal and the parent process both pass on a Ctrl-C. */
const SAME_SIGNAL = 1_000;

const LAST_LINES = 400;

/** Milliseconds after the drain until the process gives up, whatever hangs. */
const LONGEST_CLOSING = CLOSING_TIME + 50;

/** Runs the server as the environment configures it, until a signal stops it. */
export async function runServer<Store extends StoreTypes>(service: ServiceParts<Store>): Promise<void> {
  try {
    await run(service, readConfig(process.env, service.store.name));
  } catch (error) {
    console.error(plainReason(error));
    process.exit(1);
  }
}

async function run<Store extends StoreTypes>(service: ServiceParts<Store>, config: Config): Promise<void> {
  // Accessing `process.stdout` makes a pipe non-blocking.
  const output = createLogOutput(process.stdout.fd);
  const log = pino({ level: config.logLevel }, output);
  const starting = start(service, config, log, output.dropped);
  stopOnSignal(starting, config, log, output);
  await starting;
}

export type StartedServer = {
  /** The port that the server listens on, even if the setting is 0. */
  port: number;
  /** The URL of the API, such as `http://127.0.0.1:3000/v1`. */
  url: string;
  /** Waits for requests in progress, and resolves to whether everything was saved and closed. */
  stop: () => Promise<boolean>;
};

/**
 * Starts the server in this process, with settings as in the environment, without handling signals or printing anything
 * but the log.
 */
export async function startService<Store extends StoreTypes>(
  service: ServiceParts<Store>,
  settings: Readonly<Record<string, string | undefined>>,
): Promise<StartedServer> {
  const config = readConfig(settings, service.store.name);
  const output = createLogOutput(process.stdout.fd);
  const log = pino({ level: config.logLevel }, output);
  const { port, stop } = await startServer({ service, config, log, droppedLines: output.dropped });
  return {
    port,
    url: localOrigin(config.host, port) + service.contract.basePath,
    async stop() {
      const isComplete = await stop();
      await output.flush(LAST_LINES);
      return isComplete;
    },
  };
}

async function start<Store extends StoreTypes>(
  service: ServiceParts<Store>,
  config: Config,
  log: Logger,
  droppedLines: () => number,
): Promise<RunningServer> {
  const server = await startServer({ service, config, log, droppedLines });
  const { contract, verify = {}, firstCalls = () => [] } = service;
  const hasDevelopmentKey = usesKeys(contract, verify) && !config.production && config.mode === 'test';
  const developmentKey = hasDevelopmentKey
    ? { secret: await server.developmentKey(), file: developmentKeyFile(config.databaseUrl) }
    : undefined;
  const text = banner({ ...server, contract, verify, config, developmentKey, firstCalls });
  // In production, standard output contains only the log.
  if (config.production) console.error(text);
  else console.log(text);
  return server;
}

/**
 * The first signal drains and exits with 0, even during the start; a second one exits at once. A part that hangs, such as a frozen
 * database, does not keep the process alive: it exits with 1 and logs what it could not do.
 */
function stopOnSignal(starting: Promise<RunningServer>, config: Config, log: Logger, output: LogOutput): void {
  let stoppingSince: number | undefined;
  let giveUp: NodeJS.Timeout | undefined;
  const end = async (code: number) => {
    clearTimeout(giveUp);
    await output.flush(LAST_LINES);
    process.exit(code);
  };
  const stop = async () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    giveUp = setTimeout(
      () => {
        log.error('the stop took too long, so the process ends now');
        void end(1);
      },
      config.drainDelay + config.drainDeadline + LONGEST_CLOSING,
    );
    // If the start fails, `run` rejects with the reason.
    const server = await starting.catch(() => undefined);
    if (server === undefined) return;
    await end((await server.stop()) ? 0 : 1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

const plainErrors = [ConfigError, OperationsError, JobError, MigrationError];

/** A one-line reason for known errors, the stack for unexpected ones. */
function plainReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (plainErrors.some((known) => error instanceof known)) return error.message;
  if (error instanceof StorageUnavailableError) return operatorMessage(error);
  if (error instanceof StorageSetupError) {
    return error.message.includes('DATABASE_URL') ? error.message : `${error.message} Check DATABASE_URL.`;
  }
  const code = 'code' in error ? error.code : undefined;
  // Node's message ends with the address.
  const [address] = error.message.split(' ').slice(-1);
  if (code === 'EADDRINUSE')
    return `${address} is in use by another program. Use another PORT (or METRICS_PORT), for example: PORT=3001 npm start`;
  if (code === 'EACCES') return 'You are not allowed to use this port. Set PORT to a number above 1023.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'HOST is not an IP address of this machine.';
  return error.stack ?? error.message;
}
