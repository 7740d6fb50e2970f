import { isNetworkError, isRateLimitError } from '@animal-store/client';
import { codeOf, ImportError } from '../exit.ts';

/** Limits how long an import continues while every call fails for a temporary reason. */
export type Patience = {
  /** A call has succeeded. */
  answered: () => void;
  /**
   * A call has failed, including its retries.
   * @throws ImportError if calls have failed for too long
   */
  failed: (error: Error) => void;
};

/**
 * @param limit milliseconds
 * @param clock Unix milliseconds
 */
export function createPatience(limit: number, clock: () => number): Patience {
  let failingSince: number | undefined;
  return {
    answered() {
      failingSince = undefined;
    },
    failed(error) {
      // A used-up quota is not a failure: the client waits as long as necessary.
      if (isRateLimitError(error)) return;
      failingSince ??= clock();
      if (clock() - failingSince < limit) return;
      const what = isNetworkError(error) ? 'The API has not responded' : 'The API has returned only errors';
      const reason = `${what} for ${Math.round(limit / 1_000)} s. The last error: ${withRoot(error)}`;
      throw new ImportError('stopped', reason, { cause: error });
    },
  };
}

/** Adds the root cause, because the message of `fetch` says only that it has failed. */
function withRoot(error: Error): string {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  // If several IP addresses were tried, each has its own error, and the combined one has only a code.
  return root === error ? error.message : `${error.message} (${root.message || codeOf(root)})`;
}
