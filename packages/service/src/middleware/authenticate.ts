/**
 * The three steps about callers: `authenticate` looks up the key, `rateLimit` counts the request, and `requireKey` refuses it if the
 * key is missing, invalid or not sufficient.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { type Contract, isOwnPage, type Mode } from '../common/contract.ts';
import type { Clock } from '../common/time.ts';
import { ApiError, tooManyRequests } from '../contract/api-error.ts';
import type { Route } from '../contract/compiled-contract.ts';
import type { RequestContext } from '../http/context.ts';
import { headerValues } from '../http/message.ts';
import { parseSecret } from '../keys/key-format.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { ExhaustedAddresses } from '../rate-limit/addresses.ts';
import type { Verdict } from '../rate-limit/count-request.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import type { KeyRecord } from '../storage/storage.ts';

/** Looks up the API key of the request. */
export function authenticate(
  keys: Pick<KeyRing, 'verify' | 'mode'>,
  clock: Clock,
  exhausted: ExhaustedAddresses,
): RequestHandler {
  return async (request, response, next) => {
    if (isPublic(request.context)) return next();
    const secret = bearerToken(request);
    const now = clock();
    // Called only for a key that this process has not cached.
    const isSuspect = () => exhausted.has(request.ip, now);
    const key = secret === undefined ? undefined : await keys.verify(secret, now, isSuspect);
    // Node has found the body malformed in the meantime, and client-errors.ts has already responded.
    if (response.headersSent) return;
    request.context.key = key;
    next();
  };
}

/** Whether the request is for a public operation, which ignores API keys and counts requests by IP address. */
function isPublic({ route }: RequestContext): boolean {
  return route.kind === 'operation' && route.operation.facts.access === 'public';
}

const bearer = /^Bearer +([^ ]+) *$/i;

/** The token of the Authorization header; undefined if there are several, because the caller would be ambiguous. */
function bearerToken({ headers: { authorization }, rawHeaders }: IncomingMessage): string | undefined {
  if (authorization === undefined || authorization.length > 256) return undefined;
  if (headerValues(rawHeaders, 'authorization').length > 1) return undefined;
  return bearer.exec(authorization)?.[1];
}

/** Counts the request by its API key, or by its IP address if it has none, and refuses it with 429 above the limit. */
export function rateLimit(limiter: Limiter, exhausted: ExhaustedAddresses): RequestHandler {
  function countAddress({ ip = '', context }: Request): Promise<Verdict | undefined> {
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
    context.isCounted = true;
    if (verdict === undefined || verdict.outcome === 'allowed') return next();
    if (key === undefined) exhausted.add(request.ip, verdict);
    next(tooManyRequests(verdict));
  };
}

/**
 * Refuses requests without a valid API key with 401, also for unknown paths, so that the API reveals nothing without a key.
 * Refuses requests with 403 if the scope of the key does not allow the operation.
 */
export function requireKey(mode: Mode, realm: string): RequestHandler {
  return (request, _response, next) => {
    const { context } = request;
    const { key, route } = context;
    const { contract } = context.contract;
    if (key !== undefined) return next(isAllowed(key, route) ? undefined : insufficientScope(key.scope, realm));
    if (isPublic(context) || !isApiPath(request.path, contract)) return next();
    const keyMode = parseSecret(bearerToken(request) ?? '', contract.keyPrefix);
    if (keyMode !== undefined && keyMode !== mode) return next(invalidKey(belongsTo(keyMode, mode, contract), realm));
    next(usesBearerScheme(request) ? invalidKey(incomplete, realm) : missingKey(realm));
  };
}

/** RFC 6750 3.1: the 401 includes an error code only if the request used the Bearer scheme. */
function usesBearerScheme({ headers }: IncomingMessage): boolean {
  return /^Bearer\b/i.test(headers.authorization ?? '');
}

/** The scope `write` includes `read`. */
function isAllowed({ scope }: KeyRecord, route: Route): boolean {
  return scope === 'write' || route.kind !== 'operation' || route.operation.facts.access !== 'write';
}

function isApiPath(path: string, { basePath }: Contract): boolean {
  if (basePath === '') return !isOwnPage(path);
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** RFC 6750 3.1. */
function insufficientScope(scope: string, realm: string): ApiError {
  const message = `This operation requires the write scope, but this API key has the ${scope} scope. Use a key with the write scope.`;
  const challenge = `Bearer realm="${realm}", error="insufficient_scope", scope="write"`;
  return new ApiError('insufficient_scope', message, { headers: { 'WWW-Authenticate': challenge } });
}

function missingKey(realm: string): ApiError {
  const message = 'This operation requires an API key. Send it as "Authorization: Bearer <API_KEY>".';
  return new ApiError('api_key_missing', message, { headers: { 'WWW-Authenticate': `Bearer realm="${realm}"` } });
}

/** Unknown, expired and revoked keys get the same response. */
const incomplete = 'The API key is not valid. Check that it is complete and has not expired or been revoked.';

/** For a complete key of the other mode, whether or not it exists: its prefix says which server it is for, so this reveals nothing. */
function belongsTo(mode: Mode, here: Mode, { servers, keyPrefix }: Contract): string {
  return `This is a ${mode} key (${keyPrefix}_${mode}_…), but this server accepts ${here} keys only. Send it to ${servers[mode]}, or use a ${here} key (${keyPrefix}_${here}_…).`;
}

/** RFC 6750 3.1. */
function invalidKey(message: string, realm: string): ApiError {
  const challenge = `Bearer realm="${realm}", error="invalid_token"`;
  return new ApiError('api_key_invalid', message, { headers: { 'WWW-Authenticate': challenge } });
}
