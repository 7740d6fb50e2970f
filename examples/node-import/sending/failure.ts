import { type ApiError, isApiError, isNetworkError, isRateLimitError } from '@animal-store/client';
import { ImportError } from '../exit.ts';

/** What a failed call means for its row: the row is invalid, or a later call may succeed. */
export type Failure = { kind: 'refused'; reason: string } | { kind: 'passing'; error: Error };

/** The statuses of refusals that concern only this row. */
const ofTheRow: readonly number[] = [400, 413, 422];

/** The statuses of temporary failures: a timeout, a request with the same key that is still running, server errors. */
const passing: readonly number[] = [408, 409, 500, 502, 503, 504];

/**
 * Classifies a failed call.
 *
 * @throws ImportError if all other rows would fail as well; any error that is not a failed call
 */
export function readFailure(error: unknown): Failure {
  if (isNetworkError(error) || isRateLimitError(error)) return { kind: 'passing', error };
  if (!isApiError(error)) throw error;
  if (passing.includes(error.status)) return { kind: 'passing', error };
  if (ofTheRow.includes(error.status)) return { kind: 'refused', reason: inWords(error) };
  const advice = error.status === 401 ? ' Check ANIMAL_STORE_KEY.' : ' Check --base-url.';
  throw new ImportError('stopped', `The API returned an error: ${inWords(error)}${advice}`, { cause: error });
}

/** The API's message with all details, and the request ID to quote when asking for help. */
function inWords({ message, code, details, requestId }: ApiError): string {
  const problems = details.map(({ where, what }) => `${where} ${what}`).filter((problem) => !message.includes(problem));
  const because = problems.length === 0 ? '' : ` ${problems.join('; ')}.`;
  return `${message}${because} (${code}${requestId === undefined ? '' : `, request ${requestId}`})`;
}
