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
  /** Whether it has a sunset. */
  isDeprecated: boolean;
};

/** A response that the server itself sends to callers of an operation. */
type ServerResponse = [status: string, codes: readonly string[], isSent: (operation: OperationTraits) => boolean];

/** The headers about the quota of the caller. */
export const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** What the `x-rate-limits` of a contract mean for an operation. */
export function countingTraits(limits: unknown, knowsCallers: boolean): Pick<OperationTraits, 'isCounted' | 'canBan'> {
  const has = (part: string) => dig(limits, part) !== undefined;
  return { isCounted: has('anonymous') || (knowsCallers && has('plans')), canBan: has('ban') };
}

const always = () => true;

export const serverResponses: readonly ServerResponse[] = [
  ['400', ['invalid_request'], always],
  ['400', ['invalid_json'], ({ takesJson }) => takesJson],
  ['401', ['api_key_missing', 'api_key_invalid'], ({ needsKey }) => needsKey],
  ['403', ['insufficient_scope'], ({ needsScope }) => needsScope],
  ['406', ['not_acceptable'], ({ hasSeveralTypes }) => hasSeveralTypes],
  ['408', ['request_timeout'], ({ takesBody }) => takesBody],
  ['409', ['idempotency_key_in_use'], ({ takesIdempotencyKey }) => takesIdempotencyKey],
  ['410', ['operation_removed'], ({ isDeprecated }) => isDeprecated],
  ['412', ['precondition_failed'], ({ takesIfMatch }) => takesIfMatch],
  ['413', ['body_too_large'], ({ takesBody }) => takesBody],
  ['415', ['unsupported_media_type'], ({ takesBody }) => takesBody],
  ['422', ['idempotency_key_reused'], ({ takesIdempotencyKey }) => takesIdempotencyKey],
  ['428', ['precondition_required'], ({ requiresIfMatch }) => requiresIfMatch],
  ['429', ['rate_limited'], ({ isCounted }) => isCounted],
  ['429', ['key_banned'], ({ knowsCallers, canBan }) => knowsCallers && canBan],
  ['431', ['headers_too_large'], always],
  ['500', ['internal_error'], always],
  ['503', ['service_unavailable'], always],
];
