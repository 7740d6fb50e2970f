import { type ErrorBody, type ErrorCode, type ErrorDetail, errorStatus } from '@animal-store/contract';
import type { Verdict } from '../../../server/internals.ts';

/** An `Error` of the contract, with its own headers. */
export type ErrorResponse = {
  status: (typeof errorStatus)[ErrorCode];
  body: ErrorBody;
  headers: Record<string, string>;
};

export const routeNotFound = errorResponse(
  'route_not_found',
  'No operation has this path. Paths are exact; the reference is at /docs.',
);

export function unauthorized(reason: 'missing' | 'invalid'): ErrorResponse {
  if (reason === 'missing') {
    const message = 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".';
    return errorResponse('api_key_missing', message, { 'WWW-Authenticate': 'Bearer realm="animal-store"' });
  }
  const message = 'The API key is not valid. Check that it is complete and has not expired or been revoked.';
  const challenge = 'Bearer realm="animal-store", error="invalid_token"';
  return errorResponse('api_key_invalid', message, { 'WWW-Authenticate': challenge });
}

export function overLimit({ outcome, window, limit, retryAfter }: Verdict): ErrorResponse {
  const headers = { 'Retry-After': String(retryAfter) };
  if (outcome === 'banned') return errorResponse('key_banned', `Retry after ${retryAfter} seconds.`, headers);
  const message = `The limit of ${limit} requests per ${window} is used up. Retry after ${retryAfter} seconds.`;
  return errorResponse('rate_limited', message, headers);
}

export function petNotFound(id: number): ErrorResponse {
  return errorResponse('pet_not_found', `No animal has the ID ${id}.`);
}

/** The part of an error of Ajv that becomes an error detail. */
type AjvError = { instancePath: string; params: Record<string, unknown>; message?: string };

/** The errors of Ajv as details of the contract. */
export function detailsOf(place: 'query' | 'path' | 'body', errors: readonly AjvError[]): ErrorDetail[] {
  return errors.map(({ instancePath, params, message = 'is invalid' }) => {
    const name = params['missingProperty'] ?? params['additionalProperty'];
    const pointer = instancePath === '' && name !== undefined ? `/${name}` : instancePath;
    return { where: `${place}${pointer}`, what: message };
  });
}

/** A 400 in the words of the framework's own validation. */
export function invalidRequest(details: ErrorDetail[]): ErrorResponse {
  const list = details.map(({ where, what }) => `${where} ${what}`).join('; ');
  return errorResponse('invalid_request', `The request is invalid: ${list}.`, {}, { details });
}

export const unknownCursor = invalidRequest([{ where: 'query/cursor', what: 'is not a cursor of this listing' }]);

export function invalidJson(reason: string): ErrorResponse {
  return errorResponse('invalid_json', `The body is not valid JSON in UTF-8: ${reason}.`);
}

export function internalError(): ErrorResponse {
  return errorResponse('internal_error', 'Something went wrong. Quote the X-Request-Id when you report it.');
}

function errorResponse(
  code: ErrorCode,
  message: string,
  headers: Record<string, string> = {},
  details: { details?: ErrorDetail[] } = {},
): ErrorResponse {
  const status = errorStatus[code];
  return { status, headers, body: { code, message, status, ...details, documentation: `/docs/errors.html#${code}` } };
}
