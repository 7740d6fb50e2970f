import type { Logger } from 'pino';
import type { Call, RemoteCounters } from '../quota/counters.ts';
import { emptyUsage } from '../quota/usage.ts';
import { Circuit } from './circuit.ts';
import type { Counting } from './counting.ts';
import { sharedCounting } from './shared-counting.ts';

export type SharedCounting = {
  counting: Counting;
  /** Whether this process counts together with all others right now. */
  readonly isUp: boolean;
  close: () => void;
};

export type SharedCountingParts = {
  log: Logger;
  /** Milliseconds that a request waits for the counters at most. */
  timeoutMs: number;
  /** Whether the clock of this process decides what time it is; otherwise that of the counters does. */
  isClockOurs: boolean;
};

const nobody: Call = { perMinute: 1, perDay: 1, known: emptyUsage(0), alone: { minute: 0, day: 0 } };

/** Counts with all processes that use the same counters; resolves when it is known, and said, whether they answer. */
export async function openSharedCounting(
  counters: RemoteCounters,
  { log, timeoutMs, isClockOurs }: SharedCountingParts,
): Promise<SharedCounting> {
  // Writes, as a request does: one that may only be read is of no use.
  const probe = () => counters.count('probe', nobody);
  const circuit = new Circuit(probe, { log, timeoutMs, reason: (error) => counters.lastError() ?? error });
  counters.onAway((error) => circuit.fail(error));
  await circuit.ask(probe).catch(() => {});
  return {
    counting: sharedCounting(counters, circuit, isClockOurs),
    get isUp() {
      return circuit.isUp;
    },
    close: () => {
      circuit.end();
      counters.close();
    },
  };
}
