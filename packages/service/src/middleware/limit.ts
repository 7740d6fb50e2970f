import type { RequestHandler } from 'express';
import type { RequestContext } from '../http/context.ts';
import { tooManyRequests } from '../openapi/api-error.ts';
import { CountersDownError } from '../rate-limit/counters.ts';
import type { Limiter } from '../rate-limit/limiter.ts';

/** Counts the request by its caller, or by its IP address if that is unknown, and refuses it with 429 above the limit. */
export function limit(limiter: Limiter): RequestHandler {
  return async ({ ip = '', context }, _response, next) => {
    const { key } = context;
    context.isCounted = false;
    try {
      context.verdict = await (key === undefined ? limiter.countAddress(ip) : limiter.countKey(key));
      context.isCounted = true;
    } catch (error) {
      if (error instanceof CountersDownError) context.verdict = error.known;
      throw error;
    }
    const { verdict } = context;
    if (verdict === undefined || verdict.outcome === 'allowed') return next();
    next(tooManyRequests(verdict));
  };
}

/**
 * Counts a request by its IP address if it failed before it was counted, because every response states the quota. Resolves to
 * false if the limiter is unavailable; the response then has no rate-limit headers.
 */
export async function ensureCounted(context: RequestContext, address: string, limiter: Limiter): Promise<boolean> {
  if (context.isCounted !== undefined) return context.isCounted;
  try {
    context.verdict = await limiter.countAddress(address);
    return true;
  } catch (error) {
    if (error instanceof CountersDownError) context.verdict = error.known;
    return false;
  }
}
