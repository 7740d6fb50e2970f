import { type OperationId, operations } from '@animal-store/contract';
import { checkResponse } from '../../harness.ts';
import type { FuzzedOperation } from '../requests/contract.ts';
import type { Promised } from '../requests/kinds.ts';
import type { HttpRequest } from '../requests/request.ts';
import { isRecord } from '../schemas/schema.ts';
import type { HttpResponse } from '../target/sender.ts';

/**
 * Statuses with which a valid request is refused for what the API holds at that moment, each only where the operation
 * documents it: what it names does not exist, or is in another state, or the same Idempotency-Key came before.
 */
const refusalsByState = new Set([404, 409, 410, 422]);

export const keyMissing: Promised = { kind: 'refused', status: 401, code: 'api_key_missing' };

/** What is wrong with a response: one sentence each, none when it is as promised. */
export function judge(
  operation: FuzzedOperation,
  request: HttpRequest,
  promised: Promised,
  response: HttpResponse,
): string[] {
  if (response.status >= 500) return [`the response is a ${response.status}`];
  const problems =
    promised.kind === 'accepted'
      ? acceptanceProblems(operation, request, response)
      : refusalProblems(promised, response);
  return [...contractProblems(operation, request, response), ...problems, ...allowProblems(operation, response)];
}

function contractProblems(operation: FuzzedOperation, { method }: HttpRequest, response: HttpResponse): string[] {
  if (method === 'HEAD') return headProblems(operation, response);
  const { id } = operation;
  const isOperation = method === operation.method && isOperationId(id);
  try {
    const route = isOperation ? { kind: 'operation' as const, id, parameters: {} } : { kind: 'unknown' as const };
    checkResponse(route, response.status, response.headers, response.text);
    return [];
  } catch (violation) {
    return [violation instanceof Error ? violation.message : String(violation)];
  }
}

/** RFC 9110 9.3.2: the response to GET, without its body. */
function headProblems({ codes, allowed }: FuzzedOperation, { status, text }: HttpResponse): string[] {
  const isDocumented = codes.has(status) || (status === 405 && !allowed.includes('HEAD'));
  return [
    ...(isDocumented ? [] : [`the status ${status} is not documented`]),
    ...(text === '' ? [] : ['a response to HEAD has a body']),
  ];
}

function acceptanceProblems(operation: FuzzedOperation, { headers }: HttpRequest, response: HttpResponse): string[] {
  if (response.status < 300) return [];
  const code = fieldOf(response, 'code');
  const documented = operation.codes.get(response.status) ?? [];
  const isRepeatable = headers.some(([name]) => name === 'Idempotency-Key');
  const isByKey = String(code).startsWith('idempotency_');
  const isExplained =
    refusalsByState.has(response.status) &&
    (code === undefined || documented.includes(String(code))) &&
    (isRepeatable || !isByKey);
  return isExplained ? [] : [`the request is valid, and was refused with ${response.status} ${code}`];
}

function refusalProblems(promised: Extract<Promised, { kind: 'refused' }>, response: HttpResponse): string[] {
  const { status, code, where } = promised;
  const found = fieldOf(response, 'code');
  // A response to HEAD has no body to read a code from, so its status has to do.
  if (response.status !== status || (response.text !== '' && found !== code)) {
    return [`the response should be ${status} ${code}, and is ${response.status} ${found ?? ''}`];
  }
  if (where === undefined) return [];
  const details = fieldOf(response, 'details');
  const places = Array.isArray(details) ? details.map((detail) => (isRecord(detail) ? detail['where'] : detail)) : [];
  if (places.length > 0 && places.every((place) => place === where)) return [];
  return [`details should name ${JSON.stringify(where)} only, and name ${JSON.stringify(places)}`];
}

function allowProblems({ allowed }: FuzzedOperation, { status, headers }: HttpResponse): string[] {
  if (status !== 405) return [];
  const given = (headers.get('allow') ?? '').split(', ');
  if (given.toSorted().join() === allowed.toSorted().join()) return [];
  return [`Allow should name ${allowed.join(', ')}, and names ${given.join(', ')}`];
}

function fieldOf({ text }: HttpResponse, name: string): unknown {
  if (text === '') return undefined;
  const body: unknown = JSON.parse(text);
  return isRecord(body) ? body[name] : undefined;
}

function isOperationId(id: string): id is OperationId {
  return Object.hasOwn(operations, id);
}
