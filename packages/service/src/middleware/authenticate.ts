import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Mode } from '../common/contract.ts';
import type { Clock } from '../common/time.ts';
import type { RequestContext } from '../http/context.ts';
import { headerValues } from '../http/message.ts';
import { parseSecret } from '../keys/key-format.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { ExhaustedAddresses } from '../rate-limit/addresses.ts';

/** Looks up the API key of the request. A missing or invalid key is refused later, because `rateLimit` counts it first. */
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
    if (key !== undefined) request.context.key = key;
    else {
      const other = problemOfMode(secret, keys.mode, request.context.contract.contract.keyPrefix);
      request.context.keyProblem = other ?? (usesBearerScheme(request) ? 'invalid' : 'missing');
    }
    next();
  };
}

/** Whether the request is for a public operation, which ignores API keys and counts requests by IP address. */
export function isPublic({ route }: RequestContext): boolean {
  return route.kind === 'operation' && route.operation.facts.access === 'public';
}

/** A complete key of the other mode, whether or not it exists: this server cannot know. */
function problemOfMode(secret: string | undefined, mode: Mode, prefix: string): 'live-key' | 'test-key' | undefined {
  const keyMode = secret === undefined ? undefined : parseSecret(secret, prefix);
  return keyMode === undefined || keyMode === mode ? undefined : `${keyMode}-key`;
}

/** RFC 6750 3.1: the 401 includes an error code only if the request used the Bearer scheme. */
function usesBearerScheme({ headers }: IncomingMessage): boolean {
  return /^Bearer\b/i.test(headers.authorization ?? '');
}

const bearer = /^Bearer +([^ ]+) *$/i;

/** The token of the Authorization header; undefined if there are several, because the caller would be ambiguous. */
function bearerToken({ headers: { authorization }, rawHeaders }: IncomingMessage): string | undefined {
  if (authorization === undefined || authorization.length > 256) return undefined;
  if (headerValues(rawHeaders, 'authorization').length > 1) return undefined;
  return bearer.exec(authorization)?.[1];
}
