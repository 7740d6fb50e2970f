import type { Request, RequestHandler } from 'express';
import { tooManyRequests } from '../contract/api-error.ts';
import type { Verdict } from '../rate-limit/count-request.ts';
import type { Limiter } from '../rate-limit/limiter.ts';

/** Counts the request by its caller, or by its IP address if that is unknown, and refuses it with 429 above the limit. */
export function limit(limiter: Limiter): RequestHandler {
  function countAddress({ ip = '', context }: Request): Promise<Verdict | undefined> {
    return limiter.countAddress(ip).catch((error: unknown) => {
      context.isCountingFailed = true;
      throw error;
    });
  }

  return async (request, _response, next) => {
    const { context } = request;
    const { key } = context;
    const verdict = await (key === undefined ? countAddress(request) : limiter.countKey(key));
    context.verdict = verdict;
    context.isCounted = true;
    if (verdict === undefined || verdict.outcome === 'allowed') return next();
    next(tooManyRequests(verdict));
  };
}
