import { dig, entriesOf } from '../common/json.ts';
import { kindOf } from './document.ts';
import { securityOf } from './security.ts';

/** The headers about the quota of the caller. */
export const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** The parts of an operation, with their references to components followed. */
type OperationParts = {
  operation: unknown;
  parameters: readonly unknown[];
  body: unknown;
  successes: readonly unknown[];
};

/** The codes that the server itself sends to callers of an operation, by status. */
export function serverCodesOf(
  document: unknown,
  { operation, parameters, body, successes }: OperationParts,
): Map<string, string[]> {
  const { needsCredentials, asked, needsScope } = securityOf(document, operation);
  // The server may know the caller also if credentials are optional.
  const knowsCallers = asked.length > 0;
  const hasLimit = (part: string) => dig(document, 'x-rate-limits', part) !== undefined;
  const header = (name: string) => parameters.find((one) => dig(one, 'in') === 'header' && dig(one, 'name') === name);
  const takesBody = body !== undefined;
  const takesKey = header('Idempotency-Key') !== undefined;
  const hasSeveralTypes = new Set(successes.flatMap(mediaTypesOf)).size > 1;
  const codes = dig(document, 'components', 'schemas', 'ErrorCode', 'x-codes');
  const responses: [status: string, isSent: boolean, ...codes: string[]][] = [
    ['400', true, 'invalid_request'],
    ['400', mediaTypesOf(body).some((type) => kindOf(type) === 'json'), 'invalid_json'],
    ['401', needsCredentials, 'api_key_missing', 'api_key_invalid'],
    ['403', needsScope, 'insufficient_scope'],
    ['406', hasSeveralTypes, 'not_acceptable'],
    ['408', takesBody, 'request_timeout'],
    ['409', takesKey, 'idempotency_key_in_use'],
    ['410', dig(operation, 'x-deprecation') !== undefined, 'operation_removed'],
    ['412', header('If-Match') !== undefined, 'precondition_failed'],
    ['413', takesBody, 'body_too_large'],
    ['415', takesBody, 'unsupported_media_type'],
    ['422', takesKey, 'idempotency_key_reused'],
    ['428', dig(header('If-Match'), 'required') === true, 'precondition_required'],
    ['429', hasLimit('anonymous') || (knowsCallers && hasLimit('plans')), 'rate_limited'],
    ['429', knowsCallers && hasLimit('ban'), 'key_banned'],
    ['431', true, 'headers_too_large'],
    ['500', true, 'internal_error'],
    ['501', dig(codes, 'not_implemented') !== undefined, 'not_implemented'],
    ['503', true, 'service_unavailable'],
  ];
  const sent = Map.groupBy(
    responses.filter(([, isSent]) => isSent),
    ([status]) => status,
  );
  return new Map([...sent].map(([status, rows]) => [status, rows.flatMap(([, , ...names]) => names)]));
}

function mediaTypesOf(part: unknown): string[] {
  return entriesOf(dig(part, 'content')).map(([type]) => type);
}
