/** What the three `X-RateLimit-*` headers say, of the window (minute or UTC day) with fewer requests left. */
export type RateLimit = {
  /** Requests per window. */
  limit: number;
  /** Requests still allowed in it. */
  remaining: number;
  /** When it ends, by the clock of the server. */
  reset: Date;
};

/** The rate limit that a reply carries; undefined when one of its three headers is missing or no number. */
export function rateLimitOf({ headers }: { headers: Headers }): RateLimit | undefined {
  const limit = wholeNumber(headers.get('X-RateLimit-Limit'));
  const remaining = wholeNumber(headers.get('X-RateLimit-Remaining'));
  const reset = wholeNumber(headers.get('X-RateLimit-Reset'));
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, reset: new Date(reset * 1_000) };
}

/**
 * The seconds of `Retry-After`, as a number or as a date (RFC 9110, section 10.2.3).
 *
 * @param now Unix milliseconds, to read a date by
 */
export function retryAfterOf({ headers }: { headers: Headers }, now: number): number | undefined {
  const value = headers.get('Retry-After');
  const seconds = wholeNumber(value);
  if (seconds !== undefined) return seconds;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1_000);
}

function wholeNumber(value: string | null): number | undefined {
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
