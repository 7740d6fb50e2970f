import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { anonymousLimits, banRules, basePath, operations, plans } from '@animal-store/contract';
import { countRequest, quotaOf, type Usage, usageFor, type Verdict } from '../../../server/internals.ts';
import type { Database, Key } from './database.ts';
import { type ErrorResponse, overLimit, unauthorized } from './errors.ts';
import { type MaybePromise, mapMaybe } from './maybe-promise.ts';

export type Headers = Record<string, string | string[]>;

/** The headers of every response, and the error response if the request is rejected before validation. */
export type Admission = { headers: Headers; error: ErrorResponse | undefined };

/** The state of a request before its query and body are validated. */
export type RequestHead = { path: string; headers: IncomingHttpHeaders; address: string };

const constantHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};

const petPath = `${basePath}/pets/`;
const { since, sunset, successor, documentation } = operations.getPet.deprecation;
const deprecationHeaders = {
  Deprecation: `@${Date.parse(since) / 1_000}`,
  Sunset: new Date(sunset).toUTCString(),
};
const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Our server checks a key again after 5 s and remembers 10,000 keys. */
const KEY_TTL_MS = 5_000;
const MAX_KEYS = 10_000;

/** Steps of a request before validation, in the order of our server: API key, rate limit, and headers of every response. */
export function createAdmission(database: Database): (request: RequestHead) => MaybePromise<Admission> {
  const authenticate = createAuthenticator(database);
  const limiter = createLimiter();

  return ({ path, headers, address }) => {
    const now = Date.now();
    return mapMaybe(authenticate(headers.authorization, now), (key): Admission => {
      const isKnown = typeof key === 'object';
      const verdict = isKnown ? limiter.countKey(key, now) : limiter.countAddress(address, now);
      const common: Headers = {
        'X-Request-Id': requestId(headers['x-request-id']),
        ...constantHeaders,
        'X-RateLimit-Limit': String(verdict.limit),
        'X-RateLimit-Remaining': String(verdict.remaining),
        'X-RateLimit-Reset': String(verdict.reset),
      };
      if (path.startsWith(petPath)) addDeprecation(common, originOf(headers));
      if (verdict.outcome !== 'allowed') return { headers: common, error: overLimit(verdict) };
      return { headers: common, error: isKnown ? undefined : unauthorized(key) };
    });
  };
}

/** Scheme, host and port of a request. */
export function originOf({ host = '' }: IncomingHttpHeaders): string {
  return `http://${host}`;
}

function addDeprecation(headers: Headers, origin: string): void {
  Object.assign(headers, deprecationHeaders);
  headers['Link'] = [
    `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
    `<${origin}${basePath}${operations[successor].path}>; rel="successor-version"`,
  ];
}

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID();
}

/** Finds the key of a request. Valid keys are remembered by the hash of their secret. */
function createAuthenticator(database: Database) {
  const known = new Map<string, { key: Key; readAt: number }>();

  return (authorization: string | undefined, now: number): MaybePromise<Key | 'missing' | 'invalid'> => {
    if (authorization === undefined || !authorization.startsWith('Bearer ')) return 'missing';
    const digest = hash('sha256', authorization.slice('Bearer '.length), 'base64');
    const remembered = known.get(digest);
    const isFresh = remembered !== undefined && now - remembered.readAt < KEY_TTL_MS;
    const found = isFresh ? remembered.key : database.findKey(Buffer.from(digest, 'base64'));
    return mapMaybe(found, (key) => {
      if (key === undefined || key.expiresAt <= now) return 'invalid';
      if (!isFresh) {
        if (known.size >= MAX_KEYS) known.clear();
        known.set(digest, { key, readAt: now });
      }
      return key;
    });
  };
}

/** Counts requests in memory, with the function of our server. Our server also saves the counts, which peers do not. */
function createLimiter() {
  const keys = new Map<string, Usage>();
  const addresses = new Map<string, Usage>();
  return {
    countKey: (key: Key, now: number): Verdict =>
      countRequest(usageFor(keys, key.id, now), quotaOf(key, plans), now, banRules),
    countAddress: (address: string, now: number): Verdict =>
      countRequest(usageFor(addresses, address, now), anonymousLimits, now, undefined),
  };
}
