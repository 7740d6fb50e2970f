import type { Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../contract/api-error.ts';
import { addressSubject, type Limiter } from '../limiter/limiter.ts';
import type { Verdict } from '../quota/count-request.ts';
import { concurrency } from '../quota/usage.ts';

const MAX_EXHAUSTED = 10_000;

/**
 * The IP addresses that have used up their minute. Lookups of keys from them share statements, because many may be made up.
 * As in counting, a /64 is one address, and so are all forms of an IPv4 address.
 */
export class ExhaustedAddresses {
  /** When the minute ends (Unix milliseconds), by address. */
  readonly #ends = new LRUCache<string, number>({ max: MAX_EXHAUSTED });

  has(ip = '', now: number): boolean {
    return (this.#ends.get(addressSubject(ip)) ?? 0) > now;
  }

  /** Not for the day, because the lookups of all its callers would be delayed for too long. */
  add(ip = '', verdict: Verdict): void {
    const { remaining, reset } = verdict.window === 'minute' ? verdict : verdict.other;
    if (remaining === 0) this.#ends.set(addressSubject(ip), reset * 1_000);
  }
}

/** Counts the request by its API key, or by its IP address if it has none, and refuses it with 429 above the limit. */
export function rateLimit(limiter: Limiter, exhausted: ExhaustedAddresses): RequestHandler {
  function countAddress({ ip = '', context }: Request): Promise<Verdict> {
    return limiter.countAddress(ip).catch((error: unknown) => {
      context.isCountingFailed = true;
      throw error;
    });
  }

  return async (request, response, next) => {
    const { context } = request;
    const { key } = context;
    const verdict = await (key === undefined ? countAddress(request) : limiter.countKey(key));
    // Node has found the body malformed in the meantime, and client-errors.ts has already responded.
    if (response.headersSent) return;
    context.verdict = verdict;
    if (verdict.outcome === 'allowed') return next();
    if (key === undefined) exhausted.add(request.ip, verdict);
    next(tooManyRequests(verdict));
  };
}

/** The 429 for a verdict. */
export function tooManyRequests({ outcome, window, limit, retryAfter }: Verdict): ApiError {
  const headers = { 'Retry-After': String(retryAfter) };
  if (outcome === 'banned') {
    const message = `This API key is banned for another ${seconds(retryAfter)} because it kept sending requests after a 429. Wait that long, and honour Retry-After from then on.`;
    return new ApiError('key_banned', message, { headers });
  }
  const message = `You have reached the limit of ${limit} requests per ${window}. Wait ${seconds(retryAfter)}, then retry with exponential backoff.`;
  return new ApiError('rate_limited', message, { headers });
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
}

/** Too many operations run: the request is refused before it waits for the storage, and nothing has failed. */
export class OverloadError extends ApiError<'service_unavailable'> {
  override name = 'OverloadError';
  constructor(what: string) {
    super('service_unavailable', `${what} Nothing was changed. Try again in 2 seconds.`, {
      headers: { 'Retry-After': '2' },
    });
  }
}

/** Too many operations run, of one API key or of all. */
export function overloaded(by: 'key' | 'process'): OverloadError {
  return by === 'key'
    ? new OverloadError(`You already have ${concurrency.perKey} requests in progress, which is the maximum.`)
    : new OverloadError('The service is overloaded.');
}
