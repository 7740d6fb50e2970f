import { isNetworkError, isRateLimitError } from '@animal-store/client';
import { codeOf, ImportError } from '../exit.ts';

/** How long an import goes on while every call fails for a reason that may pass. */
export type Patience = {
  /** A row has come through. */
  answered: () => void;
  /**
   * A call has failed, its retries included.
   * @throws ImportError when that has been going on for too long
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
      // The quota is not a fault: the client waits as long as it takes.
      if (isRateLimitError(error)) return;
      failingSince ??= clock();
      if (clock() - failingSince < limit) return;
      const what = isNetworkError(error) ? 'The API has not responded' : 'The API has returned only errors';
      const reason = `${what} for ${Math.round(limit / 1_000)} s. The last error: ${withRoot(error)}`;
      throw new ImportError('stopped', reason, { cause: error });
    },
  };
}

/** `fetch` says only that it has failed; why stands in the cause of its cause. */
function withRoot(error: Error): string {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  // Of several addresses each has its own error, and the whole has a code only.
  return root === error ? error.message : `${error.message} (${root.message || codeOf(root)})`;
}
