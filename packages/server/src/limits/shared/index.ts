import type { Logger } from 'pino';
import type { Counting } from '../counting.ts';
import { unused } from '../usage.ts';
import { Circuit } from './circuit.ts';
import { countTogether } from './count-together.ts';
import type { Call } from './counters.ts';
import { connectRedis } from './redis-counters.ts';

export type SharedCounting = {
  counting: Counting;
  /** Whether this process counts together with all others right now. */
  readonly isUp: boolean;
  close: () => void;
};

const nobody: Call = { perMinute: 1, perDay: 1, known: unused(0), alone: { minute: 0, day: 0 } };

/** Milliseconds that a start waits for Redis; then the server goes on with its own counters. */
const CONNECT = 1_000;

/**
 * Counts in Redis or Valkey, with all processes that count there.
 *
 * @param url `redis://` or `rediss://`
 * @param timeout milliseconds that a request waits for it at most
 * @param isClockOurs whether the clock of this process decides what time it is; otherwise that of Redis does
 */
export async function openSharedCounting(
  url: string,
  timeout: number,
  log: Logger,
  isClockOurs: boolean,
): Promise<SharedCounting> {
  const counters = await connectRedis(url, CONNECT);
  // Writes, as a request does: one that may only be read is of no use.
  const probe = () => counters.count('probe', nobody);
  const circuit = new Circuit(probe, { log, patience: timeout, reason: (error) => counters.lastError() ?? error });
  counters.onError((error) => circuit.fail(error));
  // Whether it answers is known, and said, from the start.
  await circuit.ask(probe).catch(() => {});
  return {
    counting: countTogether(counters, circuit, isClockOurs),
    get isUp() {
      return circuit.isUp;
    },
    close: () => {
      circuit.end();
      counters.close();
    },
  };
}
