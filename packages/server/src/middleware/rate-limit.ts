import type { RequestHandler } from 'express';
import { mapMaybe } from '../common/maybe-promise.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Verdict } from '../quota/verdict.ts';

/** Counts the request, and refuses with 429 what is over the limit. Its response says where the caller stands. */
export function enforceLimits(limiter: Limiter): RequestHandler {
  return (request, response, next) => {
    const { context } = request;
    const { key } = context;
    const counted = key === undefined ? limiter.countAddress(request.ip ?? '') : limiter.countKey(key);
    return mapMaybe(counted, (verdict) => {
      // The body turned out to be broken meanwhile, and the caller has been told so.
      if (response.headersSent) return;
      context.verdict = verdict;
      // Handed on, not thrown: throwing costs a tenth of such a response.
      if (verdict.outcome === 'allowed') next();
      else next(refusal(verdict));
    });
  };
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
