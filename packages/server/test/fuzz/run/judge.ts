import { type OperationId, operations } from '@animal-store/contract';
import { checkReply } from '../../harness.ts';
import type { FuzzedOperation } from '../requests/contract.ts';
import type { Promised } from '../requests/kinds.ts';
import type { HttpRequest } from '../requests/request.ts';
import { isRecord } from '../schemas/schema.ts';
import type { HttpReply } from '../target/sender.ts';

/**
 * Statuses with which a valid request is refused for what the API holds at that moment, each only where the operation
 * documents it: what it names does not exist, or is in another state, or the same Idempotency-Key came before.
 */
const refusalsByState = new Set([404, 409, 410, 422]);

export const keyMissing: Promised = { kind: 'refused', status: 401, code: 'api_key_missing' };

/** What is wrong with a reply: one sentence each, none when it is as promised. */
export function judge(
  operation: FuzzedOperation,
  request: HttpRequest,
  promised: Promised,
  reply: HttpReply,
): string[] {
  if (reply.status >= 500) return [`the reply is a ${reply.status}`];
  const problems =
    promised.kind === 'accepted' ? acceptanceProblems(operation, request, reply) : refusalProblems(promised, reply);
  return [...contractProblems(operation, request, reply), ...problems, ...allowProblems(operation, reply)];
}

function contractProblems(operation: FuzzedOperation, { method }: HttpRequest, reply: HttpReply): string[] {
  if (method === 'HEAD') return headProblems(operation, reply);
  const { id } = operation;
  const isOperation = method === operation.method && isOperationId(id);
  try {
    const route = isOperation ? { kind: 'operation' as const, id, parameters: {} } : { kind: 'unknown' as const };
    checkReply(route, reply.status, reply.headers, reply.text);
    return [];
  } catch (violation) {
    return [violation instanceof Error ? violation.message : String(violation)];
  }
}

/** RFC 9110 9.3.2: the reply to GET, without its body. */
function headProblems({ codes, allowed }: FuzzedOperation, { status, text }: HttpReply): string[] {
  const isDocumented = codes.has(status) || (status === 405 && !allowed.includes('HEAD'));
  return [
    ...(isDocumented ? [] : [`the status ${status} is not documented`]),
    ...(text === '' ? [] : ['a reply to HEAD has a body']),
  ];
}

function acceptanceProblems(operation: FuzzedOperation, { headers }: HttpRequest, reply: HttpReply): string[] {
  if (reply.status < 300) return [];
  const code = fieldOf(reply, 'code');
  const documented = operation.codes.get(reply.status) ?? [];
  const isRepeatable = headers.some(([name]) => name === 'Idempotency-Key');
  const isByKey = String(code).startsWith('idempotency_');
  const isExplained =
    refusalsByState.has(reply.status) &&
    (code === undefined || documented.includes(String(code))) &&
    (isRepeatable || !isByKey);
  return isExplained ? [] : [`the request is valid, and was refused with ${reply.status} ${code}`];
}

function refusalProblems(promised: Extract<Promised, { kind: 'refused' }>, reply: HttpReply): string[] {
  const { status, code, where } = promised;
  const found = fieldOf(reply, 'code');
  // A reply to HEAD has no body to read a code from, so its status has to do.
  if (reply.status !== status || (reply.text !== '' && found !== code)) {
    return [`the reply should be ${status} ${code}, and is ${reply.status} ${found ?? ''}`];
  }
  if (where === undefined) return [];
  const details = fieldOf(reply, 'details');
  const places = Array.isArray(details) ? details.map((detail) => (isRecord(detail) ? detail['where'] : detail)) : [];
  if (places.length > 0 && places.every((place) => place === where)) return [];
  return [`details should name ${JSON.stringify(where)} only, and name ${JSON.stringify(places)}`];
}

function allowProblems({ allowed }: FuzzedOperation, { status, headers }: HttpReply): string[] {
  if (status !== 405) return [];
  const given = (headers.get('allow') ?? '').split(', ');
  if (given.toSorted().join() === allowed.toSorted().join()) return [];
  return [`Allow should name ${allowed.join(', ')}, and names ${given.join(', ')}`];
}

function fieldOf({ text }: HttpReply, name: string): unknown {
  if (text === '') return undefined;
  const body: unknown = JSON.parse(text);
  return isRecord(body) ? body[name] : undefined;
}

function isOperationId(id: string): id is OperationId {
  return Object.hasOwn(operations, id);
}
