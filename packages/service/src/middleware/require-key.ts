import type { RequestHandler } from 'express';
import type { Contract, Mode } from '../common/contract.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Route } from '../contract/compiled-contract.ts';
import type { KeyRecord } from '../storage/storage.ts';
import { isPublic } from './authenticate.ts';

/**
 * Refuses requests without a valid API key with 401, also for unknown paths, so that the API reveals nothing without a key.
 * Refuses requests with 403 if the scope of the key does not allow the operation.
 */
export function requireKey(realm: string): RequestHandler {
  return (request, _response, next) => {
    const { context } = request;
    const { key, keyProblem } = context;
    const { contract } = context.contract;
    if (key !== undefined) return next(isAllowed(key, context.route) ? undefined : insufficientScope(key.scope, realm));
    if (isPublic(context) || !isApiPath(request.path, contract)) return next();
    if (keyProblem === 'invalid') return next(invalidKey(incomplete, realm));
    if (keyProblem === 'live-key') return next(invalidKey(belongsTo('live', 'test', contract), realm));
    next(keyProblem === 'test-key' ? invalidKey(belongsTo('test', 'live', contract), realm) : missingKey(realm));
  };
}

/** The scope `write` includes `read`. */
function isAllowed({ scope }: KeyRecord, route: Route): boolean {
  return scope === 'write' || route.kind !== 'operation' || route.operation.facts.access !== 'write';
}

function isApiPath(path: string, { basePath }: Contract): boolean {
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

/** The prefix of a key says which server it is for, so this reveals nothing about the key. */
function belongsTo(mode: Mode, here: Mode, { servers, keyPrefix }: Contract): string {
  return `This is a ${mode} key (${keyPrefix}_${mode}_…), but this server accepts ${here} keys only. Send it to ${servers[mode]}, or use a ${here} key (${keyPrefix}_${here}_…).`;
}

/** RFC 6750 3.1. */
function invalidKey(message: string, realm: string): ApiError {
  const challenge = `Bearer realm="${realm}", error="invalid_token"`;
  return new ApiError('api_key_invalid', message, { headers: { 'WWW-Authenticate': challenge } });
}
