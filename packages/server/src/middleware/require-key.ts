import { basePath } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from '../contract/api-error.ts';
import { isPublic } from './authenticate.ts';

/** Refuses requests without a valid API key with 401, for unknown paths too: the API reveals nothing without a key. */
export const requireKey: RequestHandler = (request, _response, next) => {
  const { context } = request;
  if (context.key !== undefined || isPublic(context) || !isApiPath(request.path)) return next();
  next(context.keyProblem === 'invalid' ? invalidKey() : missingKey());
};

function isApiPath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

function missingKey(): ApiError {
  const message = 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".';
  return new ApiError('api_key_missing', message, { headers: { 'WWW-Authenticate': 'Bearer realm="animal-store"' } });
}

/** RFC 6750 3.1. Unknown, expired and revoked keys get the same response. */
function invalidKey(): ApiError {
  const message = 'The API key is not valid. Check that it is complete and has not expired or been revoked.';
  const challenge = 'Bearer realm="animal-store", error="invalid_token"';
  return new ApiError('api_key_invalid', message, { headers: { 'WWW-Authenticate': challenge } });
}
