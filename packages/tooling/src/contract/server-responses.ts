import { dig } from '../common/json.ts';

/** What an operation has that makes the server send a response of its own. */
export type OperationTraits = {
  takesBody: boolean;
  takesJson: boolean;
  needsKey: boolean;
  /** Whether the server may know the caller: also if credentials are optional. */
  knowsCallers: boolean;
  /** Whether callers with valid credentials may lack a scope. */
  needsScope: boolean;
  /** Whether the contract has a quota for its callers, or for those that send no valid credentials. */
  isCounted: boolean;
  /** Whether the contract has rules for bans. */
  canBan: boolean;
  /** Whether its successful responses have several media types. */
  hasSeveralTypes: boolean;
  takesIdempotencyKey: boolean;
  takesIfMatch: boolean;
  requiresIfMatch: boolean;
};

/** A response that the server itself sends to callers of an operation; `when` is the end of a sentence. */
type ServerResponse = [
  status: string,
  codes: readonly string[],
  when: string,
  isSent: (operation: OperationTraits) => boolean,
];

/** The headers about the quota of the caller. */
export const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** What the `x-rate-limits` of a contract mean for an operation. */
export function countingTraits(limits: unknown, knowsCallers: boolean): Pick<OperationTraits, 'isCounted' | 'canBan'> {
  const has = (part: string) => dig(limits, part) !== undefined;
  return { isCounted: has('anonymous') || (knowsCallers && has('plans')), canBan: has('ban') };
}

const always = () => true;

export const serverResponses: readonly ServerResponse[] = [
  ['400', ['invalid_request'], 'a parameter is unknown, or an input is invalid', always],
  ['400', ['invalid_json'], 'the body is not JSON', ({ takesJson }) => takesJson],
  ['401', ['api_key_missing', 'api_key_invalid'], 'the key is missing or invalid', ({ needsKey }) => needsKey],
  ['403', ['insufficient_scope'], 'the caller lacks a scope that the operation needs', ({ needsScope }) => needsScope],
  [
    '406',
    ['not_acceptable'],
    'Accept allows none of the media types of the successful responses',
    ({ hasSeveralTypes }) => hasSeveralTypes,
  ],
  ['408', ['request_timeout'], 'the body does not arrive in time', ({ takesBody }) => takesBody],
  [
    '409',
    ['idempotency_key_in_use'],
    'the first request with an Idempotency-Key is still running',
    ({ takesIdempotencyKey }) => takesIdempotencyKey,
  ],
  ['412', ['precondition_failed'], 'If-Match does not name the current version', ({ takesIfMatch }) => takesIfMatch],
  ['413', ['body_too_large'], 'the body is too large', ({ takesBody }) => takesBody],
  ['415', ['unsupported_media_type'], 'the body has another media type', ({ takesBody }) => takesBody],
  [
    '422',
    ['idempotency_key_reused'],
    'an Idempotency-Key was used for another request',
    ({ takesIdempotencyKey }) => takesIdempotencyKey,
  ],
  ['428', ['precondition_required'], 'a required If-Match is missing', ({ requiresIfMatch }) => requiresIfMatch],
  ['429', ['rate_limited'], 'a quota is used up', ({ isCounted }) => isCounted],
  ['429', ['key_banned'], 'a key is banned', ({ knowsCallers, canBan }) => knowsCallers && canBan],
  ['431', ['headers_too_large'], 'the headers are too large', always],
  ['500', ['internal_error'], 'it fails', always],
  ['503', ['service_unavailable'], 'it is temporarily unavailable', always],
];
