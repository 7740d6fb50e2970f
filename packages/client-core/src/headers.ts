/** The values of the three `X-RateLimit-*` headers, for the window (minute or UTC day) with fewer requests left. */
export type RateLimit = {
  /** The allowed requests per window. */
  limit: number;
  /** The remaining requests in the window. */
  remaining: number;
  /** The end of the window, by the server's clock. */
  reset: Date;
};

type WithHeaders = { headers: Headers };

/** The rate limit of a response; undefined if one of its three headers is missing or not a number. */
export function rateLimitOf({ headers }: WithHeaders): RateLimit | undefined {
  const [limit = NaN, remaining = NaN, reset = NaN] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(/^\d+$/.exec(headers.get(`X-RateLimit-${name}`) ?? '')?.[0]),
  );
  if (Number.isNaN(limit + remaining + reset)) return undefined;
  return { limit, remaining, reset: new Date(reset * 1_000) };
}

/**
 * Milliseconds from a response to a time of the server, by the `Date` of the response. The clock of this machine may be wrong, so it is
 * not used; undefined if the response has no `Date`.
 */
export function timeUntil(time: number, { headers }: WithHeaders): number | undefined {
  const left = time - Date.parse(headers.get('Date') ?? '');
  return Number.isNaN(left) ? undefined : Math.max(0, left);
}

/**
 * The `Retry-After` of a response (RFC 9110, section 10.2.3) in milliseconds. It may be a number, although only whole and positive ones
 * are valid, or a date.
 */
export function retryAfterOf(response: WithHeaders): number | undefined {
  const value = response.headers.get('Retry-After');
  if (!value) return undefined;
  const seconds = Number(value);
  return Number.isNaN(seconds) ? timeUntil(Date.parse(value), response) : Math.max(0, seconds * 1_000);
}

/**
 * The URL for a relation in the `Link` header (RFC 8288) of a response.
 *
 * @param relation in lower case: `next`, `successor-version`, ...
 */
export function linkOf({ headers }: { headers: Headers }, relation: string): string | undefined {
  // <URL>, then parameters up to the next link. A link may have several relations.
  const link = new RegExp(`<([^>]*)>[^<]*;\\s*rel\\s*=\\s*(?:"(?:[^"]*\\s)?)?${relation}(?![^\\s";,])`, 'i');
  return link.exec(headers.get('Link') ?? '')?.[1];
}

/** Whether a media type is JSON: `application/json`, `application/merge-patch+json`, ... */
export function isJson(mediaType: string): boolean {
  return /[/+]json\b/i.test(mediaType);
}
