import type { Logger } from 'pino';
import { withTimeout } from '../common/time.ts';

/** Milliseconds for everything after the drain: saving, and closing connections to other parts. */
export const CLOSING_TIME = 1_500;

/** What a stop does after the drain, in order. The name completes the sentence "could not …". */
export type StopStep = readonly [name: string, run: () => Promise<unknown> | undefined];

/**
 * Runs the steps of a stop one after another, for at most CLOSING_TIME milliseconds together. Every step is at least
 * started. Logs those that failed or did not finish, and returns whether all of them finished.
 */
export async function runStopSteps(steps: readonly StopStep[], log: Logger): Promise<boolean> {
  const until = performance.now() + CLOSING_TIME;
  let isComplete = true;
  for (const [name, run] of steps) {
    try {
      await withTimeout(Promise.resolve(run()), Math.max(0, until - performance.now()));
    } catch (error) {
      isComplete = false;
      log.error({ err: error }, `the stop could not ${name}`);
    }
  }
  return isComplete;
}
