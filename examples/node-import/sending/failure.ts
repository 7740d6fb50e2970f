import { type ApiError, isApiError, isNetworkError, isRateLimitError } from '@animal-store/client';
import { ImportError } from '../exit.ts';

/** What a failed call means for its row: it is wrong, or it may come through later. */
export type Failure = { kind: 'refused'; reason: string } | { kind: 'passing'; error: Error };

/** The statuses of a refusal that speaks of this one row. */
const ofTheRow: readonly number[] = [400, 413, 422];

/** The statuses that may pass by themselves: a timeout, a request under the same key that still runs, faults. */
const passing: readonly number[] = [408, 409, 500, 502, 503, 504];

/**
 * What to make of a failed call.
 *
 * @throws ImportError when all other rows would fail as well; anything that is no failure of a call
 */
export function readFailure(error: unknown): Failure {
  if (isNetworkError(error) || isRateLimitError(error)) return { kind: 'passing', error };
  if (!isApiError(error)) throw error;
  if (passing.includes(error.status)) return { kind: 'passing', error };
  if (ofTheRow.includes(error.status)) return { kind: 'refused', reason: inWords(error) };
  const advice = error.status === 401 ? ' Check ANIMAL_STORE_KEY.' : ' Check --base-url.';
  throw new ImportError('stopped', `The API returned an error: ${inWords(error)}${advice}`, { cause: error });
}

/** What the API said, each detail included, and what to quote to those who run it. */
function inWords({ message, code, details, requestId }: ApiError): string {
  const problems = details.map(({ where, what }) => `${where} ${what}`).filter((problem) => !message.includes(problem));
  const because = problems.length === 0 ? '' : ` ${problems.join('; ')}.`;
  return `${message}${because} (${code}${requestId === undefined ? '' : `, request ${requestId}`})`;
}
