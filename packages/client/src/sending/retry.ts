import type { Policy } from '../options.ts';

/** How a try ended: the status of its reply, 0 when none came, and the seconds of its `Retry-After`. */
export type Ending = { status: number; retryAfter: number | undefined };

export type RetryParts = {
  ending: Ending;
  /** Tries so far, at least 1. */
  attempt: number;
  /** Whether sending the request twice acts once. */
  repeatable: boolean;
};

/** What may pass by itself. 0 stands for no reply at all. */
export const passing: readonly number[] = [0, 408, 429, 502, 503, 504];

/** Whether, and in how many milliseconds at the earliest, a request is tried again; undefined for never. */
export function retryDelay(
  { ending, attempt, repeatable }: RetryParts,
  policy: Policy,
  random: () => number,
): number | undefined {
  const { status, retryAfter } = ending;
  if (attempt > policy.maxRetries) return undefined;
  // It may have acted already, and would act twice.
  if (!repeatable) return undefined;
  // A conflict passes only where the API says when: the first request with the same Idempotency-Key is still running.
  if (!passing.includes(status) && !(status === 409 && retryAfter !== undefined)) return undefined;
  const asked = (retryAfter ?? 0) * 1_000;
  if (asked > policy.maxRetryAfter) return undefined;
  // The gate holds it back, together with all other calls.
  if (status === 429) return 0;
  // Never before the time that was asked for; the random part keeps calls that failed together from coming together.
  return asked + backoff(attempt, policy, random);
}

/** A random wait in milliseconds that doubles with each try: exponential backoff with full jitter. */
export function backoff(attempt: number, { firstDelay, longestDelay }: Policy, random: () => number): number {
  return random() * Math.min(longestDelay, firstDelay * 2 ** (attempt - 1));
}

/** The idempotent methods of RFC 9110, section 9.2.2, except TRACE, which the client never sends. */
const idempotentMethods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

/**
 * Whether sending a request twice has the same effect as sending it once. A GET changes nothing, and a second PUT or DELETE does not
 * change the state that the first one left. A POST or PATCH may add or change something again (RFC 9110, section 9.2.2; RFC 5789,
 * section 2), so the client repeats it only if the API recognizes it by its Idempotency-Key.
 */
export function isRepeatable({ method, headers }: Request): boolean {
  return idempotentMethods.includes(method) || headers.has('Idempotency-Key');
}
