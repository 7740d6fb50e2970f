import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { banRules, basePath, operations, replyHeaders } from '@animal-store/contract';
import {
  anonymousQuota,
  countRequest,
  quotaOf,
  type Usage,
  usageFor,
  type Verdict,
} from '../../../server/internals.ts';
import type { Database, Key } from './database.ts';
import { type ErrorResponse, overLimit, unauthorized } from './errors.ts';

export type Headers = Record<string, string | string[]>;

/** The headers of every response, and the error response if the request is rejected before validation. */
export type Admission = { headers: Headers; error: ErrorResponse | undefined };

/** What is known about a request before its query and body are validated. */
export type RequestHead = { path: string; headers: IncomingHttpHeaders; address: string };

const constantHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [...replyHeaders, 'Allow'].join(','),
};

const petPath = `${basePath}/pets/`;
const { since, sunset, successor, documentation } = operations.getPet.deprecation;
const deprecationHeaders = {
  Deprecation: `@${Date.parse(since) / 1_000}`,
  Sunset: new Date(sunset).toUTCString(),
};
const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Our server checks a key again after 5 s, remembers 10,000 keys, and writes usage to disk each second. */
const KEY_TTL_MS = 5_000;
const MAX_KEYS = 10_000;
const FLUSH_INTERVAL_MS = 1_000;

/** Steps of a request before validation, in the order of our server: API key, rate limit, and headers of every response. */
export function openAdmission(database: Database) {
  const authenticate = createAuthenticator(database);
  const limiter = createLimiter(database);

  function admit({ path, headers, address }: RequestHead): Admission {
    const now = Date.now();
    const key = authenticate(headers.authorization, now);
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
  }

  return { admit, close: limiter.close };
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

  return (authorization: string | undefined, now: number): Key | 'missing' | 'invalid' => {
    if (authorization === undefined || !authorization.startsWith('Bearer ')) return 'missing';
    const digest = hash('sha256', authorization.slice('Bearer '.length), 'base64');
    const remembered = known.get(digest);
    const isFresh = remembered !== undefined && now - remembered.readAt < KEY_TTL_MS;
    const key = isFresh ? remembered.key : database.findKey(Buffer.from(digest, 'base64'));
    if (key === undefined || key.expiresAt <= now) return 'invalid';
    if (!isFresh) {
      if (known.size >= MAX_KEYS) known.clear();
      known.set(digest, { key, readAt: now });
    }
    return key;
  };
}

/** Counts requests with the function of our server. A ban is on disk before its first 429. */
function createLimiter(database: Database) {
  const keys = new Map<string, Usage>();
  const addresses = new Map<string, Usage>();
  const changed = new Set<string>();
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref();

  function flush(): void {
    if (changed.size === 0) return;
    database.saveUsage([...changed].map((id) => [id, usageFor(keys, id, Date.now())]));
    changed.clear();
  }

  return {
    countKey(key: Key, now: number): Verdict {
      const usage = usageFor(keys, key.id, now);
      const verdict = countRequest(usage, quotaOf(key), now, banRules);
      changed.add(key.id);
      if (verdict.banStarted) database.saveUsage([[key.id, usage]]);
      return verdict;
    },
    countAddress: (address: string, now: number): Verdict =>
      countRequest(usageFor(addresses, address, now), anonymousQuota, now, undefined),
    close(): void {
      clearInterval(timer);
      flush();
    },
  };
}
