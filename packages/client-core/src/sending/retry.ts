import type { Policy } from '../options.ts';

export type RetryParts = {
  /** The status of the response, 0 if there was none, and its `Retry-After` in milliseconds. */
  status: number;
  retryAfter: number | undefined;
  /** Attempts so far that failed, at least 1. Refusals for the quota (429) are not failures. */
  failures: number;
  /** Attempts so far that were refused with 429. */
  refusals: number;
};

/** Failures that may be temporary. 0 means no response. */
export const temporary: readonly number[] = [0, 408, 429, 500, 502, 503, 504];

/** More refusals of one call than this cannot come from the API, whose Retry-After ends the wait much earlier. */
const MAX_REFUSALS = 10;

/** The minimum delay in milliseconds until a request is sent again; undefined if it is not. */
export function retryDelay(
  { status, retryAfter, failures, refusals }: RetryParts,
  policy: Policy,
  random: () => number,
): number | undefined {
  // A conflict is temporary only if the API says when: the first request with the same Idempotency-Key is still running.
  if (!temporary.includes(status) && !(status === 409 && retryAfter !== undefined)) return undefined;
  const wait = retryAfter ?? 0;
  if (wait > policy.maxRetryAfter) return undefined;
  // The gate delays it, together with all other calls.
  if (status === 429) return refusals < MAX_REFUSALS ? 0 : undefined;
  if (failures > policy.maxRetries) return undefined;
  // Never before the time that the API asks for. The random part spreads calls that failed together.
  return wait + backoff(failures, policy, random);
}

/** The longest wait before a retry, unless the API asks for more, in milliseconds. */
export const LONGEST_DELAY = 8_000;

/**
 * A wait in milliseconds that doubles with each attempt: exponential backoff of which half is random. With all of it random, two retries
 * in a row might be over before a server has restarted.
 */
export function backoff(attempt: number, { firstDelay }: Policy, random: () => number): number {
  return ((1 + random()) / 2) * Math.min(LONGEST_DELAY, firstDelay * 2 ** (attempt - 1));
}

/**
 * Whether sending a request twice has the same effect as sending it once. A GET changes nothing, and a second PUT or DELETE does not
 * change the state that the first one left. A POST or PATCH may add or change something again (RFC 9110, section 9.2.2; RFC 5789,
 * section 2), so the client repeats it only if the API recognises it by its Idempotency-Key.
 */
export function isRepeatable({ method, headers }: Request): boolean {
  return (method !== 'POST' && method !== 'PATCH') || headers.has('Idempotency-Key');
}

/** 128 random bits in hex, by which the API recognises a creation that is sent again. */
export function newIdempotencyKey(): string {
  // Not `crypto.randomUUID`, which is missing on pages that are not served over HTTPS.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
