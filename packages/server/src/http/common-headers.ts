import { responseHeaders } from '@animal-store/contract';
import { deprecationHeaders } from '../contract/deprecation.ts';
import { isBeta } from '../contract/stability.ts';
import type { Verdict } from '../quota/verdict.ts';
import type { RequestContext } from './context.ts';

/** Names and values of headers in turn, as Node takes them; a name may stand twice. */
export type HeaderList = string[];

/** What a web page may read of a response. */
export const exposedHeaders = [...responseHeaders, 'Allow'];

/** What every response carries, whatever it is about: no guessing of its type, no copies of it, and any page may read it. */
export const plainHeaders: HeaderList = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
}).flat();

/** The headers of a response that follow from the request, whatever is answered. */
export function commonHeaders(context: RequestContext): HeaderList {
  const { id, verdict, route } = context;
  const headers = ['X-Request-Id', id];
  // One by one: spreading them into the list takes longer than all the rest.
  for (const part of plainHeaders) headers.push(part);
  if (verdict !== undefined) pushLimits(headers, verdict);
  if (route.kind !== 'operation') return headers;
  // What the contract says of the operation's future.
  if (isBeta(route.id)) headers.push('X-Stability', 'beta');
  headers.push(...deprecationHeaders(route.id, context));
  return headers;
}

/** Where the caller stands. */
export function limitHeaders(verdict: Verdict): HeaderList {
  const headers: HeaderList = [];
  pushLimits(headers, verdict);
  return headers;
}

function pushLimits(headers: HeaderList, { limit, remaining, reset }: Verdict): void {
  headers.push('X-RateLimit-Limit', String(limit));
  headers.push('X-RateLimit-Remaining', String(remaining));
  headers.push('X-RateLimit-Reset', String(reset));
}
