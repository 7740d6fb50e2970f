import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { ApiError } from '../errors.ts';
import type { Limiter } from './limiter.ts';
import type { Verdict } from './verdict.ts';

/** Counts the request, sets the three headers, and refuses with 429 what is over the limit. */
export function enforceLimits(limiter: Limiter): RequestHandler {
  return async (request, response, next) => {
    const { key } = request.exchange;
    const verdict = key === undefined ? await limiter.countAddress(request.ip ?? '') : await limiter.countKey(key);
    // The body turned out to be broken meanwhile, and the caller has been told so.
    if (response.headersSent) return;
    setLimitHeaders(response, verdict);
    if (verdict.outcome !== 'allowed') throw refusal(verdict);
    next();
  };
}

/**
 * Sees to the three headers of a reply whose caller was not counted, because something failed before: it then says where
 * the address stands.
 */
export async function ensureLimitHeaders(response: ServerResponse, address: string, limiter: Limiter): Promise<void> {
  if (response.hasHeader('X-RateLimit-Limit')) return;
  const verdict = await limiter.countAddress(address);
  if (!response.headersSent) setLimitHeaders(response, verdict);
}

function setLimitHeaders(response: ServerResponse, verdict: Verdict): void {
  for (const [name, value] of limitHeaders(verdict)) response.setHeader(name, value);
}

/** The headers that every reply carries. */
export function limitHeaders(verdict: Verdict): [name: string, value: string][] {
  return [
    ['X-RateLimit-Limit', String(verdict.limit)],
    ['X-RateLimit-Remaining', String(verdict.remaining)],
    ['X-RateLimit-Reset', String(verdict.reset)],
  ];
}

function refusal({ outcome, window, limit, retryAfter }: Verdict): ApiError {
  const headers = { 'Retry-After': String(retryAfter) };
  if (outcome === 'banned') {
    const message = `This API key is banned for ${retryAfter} more seconds, because it kept sending after a 429. Wait that long, then honour Retry-After.`;
    return new ApiError('key_banned', message, { headers });
  }
  const message = `The limit of ${limit} requests per ${window} is used up. Wait ${retryAfter} seconds, then go on with exponential backoff.`;
  return new ApiError('rate_limited', message, { headers });
}
