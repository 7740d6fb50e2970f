import { type ErrorBody, type ErrorCode, type ErrorDetail, errorStatus } from '@animal-store/contract';
import type { Verdict } from '../../../../packages/server/src/quota/verdict.ts';
import type { Stranger } from './keys.ts';

/** A reply that is an `Error` of the contract, with the headers that are its own. */
export type Refusal = { status: (typeof errorStatus)[ErrorCode]; body: ErrorBody; headers: Record<string, string> };

export const routeNotFound = refuse(
  'route_not_found',
  'No operation has this path. Paths are exact; the reference is at /docs.',
);

export function strangerRefused(stranger: Stranger): Refusal {
  if (stranger === 'missing') {
    const message = 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".';
    return refuse('api_key_missing', message, { 'WWW-Authenticate': 'Bearer realm="animal-store"' });
  }
  const message = 'The API key is not valid. Check that it is complete and has not expired or been revoked.';
  const challenge = 'Bearer realm="animal-store", error="invalid_token"';
  return refuse('api_key_invalid', message, { 'WWW-Authenticate': challenge });
}

export function overLimit({ outcome, window, limit, retryAfter }: Verdict): Refusal {
  const headers = { 'Retry-After': String(retryAfter) };
  if (outcome === 'banned') {
    const message = `This API key is banned for ${retryAfter} more seconds, because it kept sending after a 429. Wait that long, then honour Retry-After.`;
    return refuse('key_banned', message, headers);
  }
  const message = `The limit of ${limit} requests per ${window} is used up. Wait ${retryAfter} seconds, then go on with exponential backoff.`;
  return refuse('rate_limited', message, headers);
}

export function petNotFound(id: number): Refusal {
  return refuse('pet_not_found', `No animal has the id ${id}.`);
}

/** What the framework's own validation found, in its own words. */
export function invalidRequest(details: ErrorDetail[]): Refusal {
  const named = details.map(({ where, what }) => `${where} ${what}`).join('; ');
  const refusal = refuse('invalid_request', `The request is invalid: ${named}.`);
  return { ...refusal, body: { ...refusal.body, details } };
}

export const unknownCursor = invalidRequest([
  { where: 'query/cursor', what: 'is not one that this listing gave out; take it from the Link header of a page' },
]);

export function invalidJson(reason: string): Refusal {
  return refuse('invalid_json', `The body is not valid JSON in UTF-8: ${reason}.`);
}

export function internalError(): Refusal {
  const message = 'Something went wrong on our side. Quote the X-Request-Id when you report it.';
  return refuse('internal_error', message);
}

function refuse(code: ErrorCode, message: string, headers: Record<string, string> = {}): Refusal {
  const status = errorStatus[code];
  return { status, headers, body: { code, message, status } };
}
