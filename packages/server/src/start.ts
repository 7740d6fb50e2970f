import { setTimeout } from 'node:timers/promises';
import { limits } from '@animal-store/contract';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { createKeyRing, type KeyRing } from './auth/keys.ts';
import type { Operations } from './calls/operation.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { createHttpServer, defaultTimeouts, drain, listen, type Timeouts } from './http/server.ts';
import { createLimiter } from './limits/limiter.ts';
import { operations as contractOperations } from './operations/index.ts';
import { openStorage } from './storage/open.ts';
import type { Storage } from './storage/storage.ts';

const FLUSH_INTERVAL = 1_000;
const FORGET_INTERVAL = 3_600_000;

export type ServerParts = {
  config: Config;
  log: Logger;
  clock?: Clock;
  operations?: Operations;
  storage?: Storage;
  timeouts?: Timeouts;
};

export type RunningServer = {
  /** The port that it listens on, also when the configuration says 0. */
  port: number;
  keys: KeyRing;
  /** Lets requests under way end, writes down what was counted, and closes the storage. */
  stop: () => Promise<void>;
};

/** Opens the storage, listens, and keeps house. Rejects when either cannot be done. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { config, log, clock = systemClock, operations = contractOperations, timeouts = defaultTimeouts } = parts;
  const storage = parts.storage ?? (await openStorage(config.databaseUrl));
  const keys = createKeyRing(storage.keys, clock);
  const limiter = await createLimiter(storage.usage, clock);
  let draining = false;
  const app = createApp({ config, operations, storage, keys, limiter, clock, log, isDraining: () => draining });
  const server = createHttpServer(app, limiter, timeouts);
  const port = await listen(server, config.port, config.host).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });

  const warn = (error: unknown) => log.warn({ err: error }, 'housekeeping failed; it is tried again');
  const forgetReplies = () => storage.forgetReplies(clock() - limits.idempotencySeconds * 1_000).catch(warn);
  void forgetReplies();
  const timers = [
    setInterval(() => limiter.flush().catch(warn), FLUSH_INTERVAL),
    setInterval(forgetReplies, FORGET_INTERVAL),
  ];
  for (const timer of timers) timer.unref();

  async function stop(): Promise<void> {
    draining = true;
    // A balancer learns from /readyz to look elsewhere before the door closes.
    await setTimeout(config.drainDelay);
    await drain(server, config.drainDeadline);
    for (const timer of timers) clearInterval(timer);
    await limiter.flush().catch(warn);
    await storage.close();
  }

  return { port, keys, stop };
}
