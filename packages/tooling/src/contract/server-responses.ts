import { dig, entriesOf } from '../common/json.ts';
import { kindOf } from './document.ts';
import { securityOf } from './security.ts';

/** What an operation has that makes the server send a response of its own. */
type OperationTraits = {
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

const serverResponses: readonly ServerResponse[] = [
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

/** The parts of an operation, with their references to components followed. */
type OperationParts = {
  operation: unknown;
  parameters: readonly unknown[];
  body: unknown;
  successes: readonly unknown[];
};

/** The codes that the server itself sends to callers of an operation, by status. */
export function serverCodesOf(document: unknown, parts: OperationParts): Map<string, string[]> {
  const traits = traitsOf(document, parts);
  const codes = new Map<string, string[]>();
  for (const [status, sent, isSent] of serverResponses) {
    if (isSent(traits)) codes.set(status, [...(codes.get(status) ?? []), ...sent]);
  }
  const isDocumented = dig(document, 'components', 'schemas', 'ErrorCode', 'x-codes', 'not_implemented') !== undefined;
  return isDocumented ? codes.set('501', ['not_implemented']) : codes;
}

function traitsOf(document: unknown, { operation, parameters, body, successes }: OperationParts): OperationTraits {
  const { needsCredentials, asked, needsScope } = securityOf(document, operation);
  const header = (name: string) => parameters.find((one) => dig(one, 'in') === 'header' && dig(one, 'name') === name);
  return {
    takesBody: body !== undefined,
    takesJson: mediaTypesOf(body).some((type) => kindOf(type) === 'json'),
    needsKey: needsCredentials,
    knowsCallers: asked.length > 0,
    needsScope,
    ...countingTraits(dig(document, 'x-rate-limits'), asked.length > 0),
    hasSeveralTypes: new Set(successes.flatMap(mediaTypesOf)).size > 1,
    takesIdempotencyKey: header('Idempotency-Key') !== undefined,
    takesIfMatch: header('If-Match') !== undefined,
    requiresIfMatch: dig(header('If-Match'), 'required') === true,
    isDeprecated: dig(operation, 'x-deprecation') !== undefined,
  };
}

function mediaTypesOf(part: unknown): string[] {
  return entriesOf(dig(part, 'content')).map(([type]) => type);
}
