import type { Request, RequestHandler } from 'express';
import { ApiError } from '../contract/api-error.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Verdict } from '../quota/count-request.ts';

/** Counts the request by its API key, or by its IP address if it has none, and refuses it with 429 above the limit. */
export function rateLimit(limiter: Limiter): RequestHandler {
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
    next(verdict.outcome === 'allowed' ? undefined : tooManyRequests(verdict));
  };
}

function tooManyRequests({ outcome, window, limit, retryAfter }: Verdict): ApiError {
  const headers = { 'Retry-After': String(retryAfter) };
  if (outcome === 'banned') {
    const message = `This API key is banned for ${retryAfter} more seconds, because it kept sending after a 429. Wait that long, then honour Retry-After.`;
    return new ApiError('key_banned', message, { headers });
  }
  const message = `The limit of ${limit} requests per ${window} is used up. Wait ${retryAfter} seconds, then go on with exponential backoff.`;
  return new ApiError('rate_limited', message, { headers });
}
