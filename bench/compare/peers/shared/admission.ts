import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { basePath, operations, responseHeaders } from '@animal-store/contract';
import type { Database } from './database.ts';
import { keyReader } from './keys.ts';
import { openQuotas } from './quotas.ts';
import { overLimit, type Refusal, strangerRefused } from './refusals.ts';

export type ReplyHeaders = Record<string, string | string[]>;

/** What a request is answered with whatever it asks for, and why it goes no further, if so. */
export type Admission = { headers: ReplyHeaders; refusal: Refusal | undefined };

/** What is known about a request before its query and its body are looked at. */
export type Arrival = { path: string; headers: IncomingHttpHeaders; address: string };

/** The headers that never change, in one object that is copied. */
const plainHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [...responseHeaders, 'Allow'].join(','),
};

const petPath = `${basePath}/pets/`;
const { since, sunset, successor, documentation } = operations.getPet.deprecation;
const deprecationHeaders = {
  Deprecation: `@${Date.parse(since) / 1_000}`,
  Sunset: new Date(sunset).toUTCString(),
};
const acceptableId = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The way of a request up to its validation: request id, who calls, how often, and the headers of every reply. The order
 * is that of our server.
 *
 * @param behindProxy whether the last address in X-Forwarded-For is the caller's
 */
export function openAdmission(database: Database, behindProxy: boolean) {
  const readKey = keyReader(database);
  const quotas = openQuotas(database);

  function admit({ path, headers, address }: Arrival): Admission {
    const now = Date.now();
    const key = readKey(headers.authorization, now);
    const isKnown = typeof key === 'object';
    const verdict = isKnown
      ? quotas.countKey(key, now)
      : quotas.countAddress(behindProxy ? forwardedFor(headers, address) : address, now);
    const reply: ReplyHeaders = {
      'X-Request-Id': requestId(headers['x-request-id']),
      ...plainHeaders,
      'X-RateLimit-Limit': String(verdict.limit),
      'X-RateLimit-Remaining': String(verdict.remaining),
      'X-RateLimit-Reset': String(verdict.reset),
    };
    if (path.startsWith(petPath)) announceDeprecation(reply, originOf(headers));
    if (verdict.outcome !== 'allowed') return { headers: reply, refusal: overLimit(verdict) };
    return { headers: reply, refusal: isKnown ? undefined : strangerRefused(key) };
  }

  return { admit, close: quotas.close };
}

/** Scheme, host and port, as the caller reached us. */
export function originOf({ host = '' }: IncomingHttpHeaders): string {
  return `http://${host}`;
}

function announceDeprecation(reply: ReplyHeaders, origin: string): void {
  Object.assign(reply, deprecationHeaders);
  reply['Link'] = [
    `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
    `<${origin}${basePath}${operations[successor].path}>; rel="successor-version"`,
  ];
}

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && acceptableId.test(sent) ? sent : randomUUID();
}

function forwardedFor(headers: IncomingHttpHeaders, address: string): string {
  const sent = String(headers['x-forwarded-for'] ?? address);
  return sent.slice(sent.lastIndexOf(',') + 1).trim();
}
