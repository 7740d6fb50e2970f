import { basePath } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import type { Clock } from '../common/clock.ts';
import { mapMaybe } from '../common/maybe-promise.ts';
import { ApiError } from '../contract/api-error.ts';
import { headerValues } from '../http/message.ts';
import type { KeyRing } from '../keys/key-ring.ts';

/** Finds out who calls; refuses nobody yet, so that a caller without a key is counted by its address first. */
export function identifyCaller(keys: Pick<KeyRing, 'verify'>, clock: Clock): RequestHandler {
  return (request, response, next) => {
    const secret = bearerSecret(request);
    const verified = secret === undefined ? undefined : keys.verify(secret, clock());
    return mapMaybe(verified, (key) => {
      // The body turned out to be broken meanwhile, and the caller has been told so.
      if (response.headersSent) return;
      if (key !== undefined) request.context.key = key;
      else request.context.keyProblem = sentBearer(request) ? 'invalid' : 'missing';
      next();
    });
  };
}

/** Every path of the API needs a valid key, unknown ones too: what exists is nobody's business without one. */
export const requireKey: RequestHandler = (request, _response, next) => {
  const { key, keyProblem } = request.context;
  if (key !== undefined || !isApiPath(request.path)) return next();
  next(keyProblem === 'invalid' ? invalidKey() : missingKey());
};

function isApiPath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

function missingKey(): ApiError {
  const message = 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".';
  return new ApiError('api_key_missing', message, { headers: { 'WWW-Authenticate': 'Bearer realm="animal-store"' } });
}

/** RFC 6750 3.1: unknown, expired and revoked keys are all the same from outside. */
function invalidKey(): ApiError {
  const message = 'The API key is not valid. Check that it is complete and has not expired or been revoked.';
  const challenge = 'Bearer realm="animal-store", error="invalid_token"';
  return new ApiError('api_key_invalid', message, { headers: { 'WWW-Authenticate': challenge } });
}

/** RFC 6750 3.1: a caller that used another scheme, or none, is told the scheme and no error. */
function sentBearer(request: Request): boolean {
  return /^Bearer\b/i.test(request.headers.authorization ?? '');
}

const bearer = /^Bearer +([^ ]+) *$/i;

/** The bearer token of exactly one Authorization header: with two of them it is unclear who calls. */
function bearerSecret(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization.length > 256) return undefined;
  if (headerValues(request.rawHeaders, 'authorization').length > 1) return undefined;
  return bearer.exec(authorization)?.[1];
}
