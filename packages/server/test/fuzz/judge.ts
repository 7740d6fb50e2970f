import type { FuzzedOperation } from './contract.ts';
import type { Kind, Promised } from './kinds.ts';
import { type HttpRequest, type RequestParts, toHttp } from './request.ts';
import { isRecord } from './schema.ts';
import type { HttpResponse, Sender, Target } from './target.ts';

type Outcome = { response: HttpResponse; problems: string[] };

/** Sends a request alone, from each caller, so that the data shows whether a refused request has written. */
export async function tryRequest(
  target: Target,
  operation: FuzzedOperation,
  kind: Kind,
  parts: RequestParts,
): Promise<Outcome> {
  const request = toHttp(operation, parts);
  const before = target.snapshot();
  const { response, problems } = await judged(target, operation, request, kind.promised, callerOf(target, operation));
  const after = target.snapshot();
  const hasWritten = response.status >= 400 && after !== before;
  const unauthorized = await unauthorizedProblems(target, operation, kind, parts);
  const hasLetWrite = operation.access !== 'public' && target.snapshot() !== after;
  return {
    response,
    problems: [
      ...problems,
      ...(hasWritten ? ['the request was refused, and something was written'] : []),
      ...unauthorized,
      ...(hasLetWrite ? ['a caller that may not write has written something'] : []),
    ],
  };
}

async function judged(
  target: Target,
  operation: FuzzedOperation,
  request: HttpRequest,
  promised: Promised,
  sender: Sender,
): Promise<Outcome> {
  try {
    const response = await target.send(request, sender);
    return { response, problems: judge(operation, request, promised, response) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { response: { status: 0, headers: new Headers(), text: '' }, problems: [problem] };
  }
}

/** Requests of public operations are counted by IP address, even with a key, so each request has its own address. */
function callerOf({ key }: Target, { access }: FuzzedOperation): Sender {
  return access === 'public' ? { key, address: nextAddress() } : { key };
}

/**
 * The problems of the responses to the same request from callers without permission: one without a key, and one whose key
 * has the scope read.
 */
async function unauthorizedProblems(
  target: Target,
  operation: FuzzedOperation,
  { promised }: Kind,
  parts: RequestParts,
): Promise<string[]> {
  const request = toHttp(operation, parts);
  const { access } = operation;
  // A path without this method counts as unknown, and unknown paths need a key.
  const isOperation = request.method === operation.method || request.method === 'HEAD';
  const expected = access === 'public' && isOperation ? promised : keyMissing;
  const keyless = await judged(target, operation, request, expected, { address: nextAddress() });
  const exceedsScope = access === 'write' && request.method === operation.method;
  const reading = exceedsScope
    ? await judged(target, operation, request, scopeMissing, { key: target.readKey })
    : undefined;
  return [
    ...keyless.problems.map((problem) => `without the key: ${problem}`),
    ...(reading?.problems ?? []).map((problem) => `with a key of the scope read: ${problem}`),
  ];
}

let addresses = 0;

/** A new IP address for each call, because callers without a key have a quota per address, which is not tested here. */
function nextAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/**
 * Statuses that refuse a valid request because of the stored data, if the operation documents them: the resource does not
 * exist, has another state or version, or the Idempotency-Key was used before.
 */
const refusalsByState = new Set([404, 409, 410, 412, 422, 428]);

const keyMissing: Promised = { kind: 'refused', status: 401, code: 'api_key_missing' };

const scopeMissing: Promised = { kind: 'refused', status: 403, code: 'insufficient_scope' };

/**
 * The problems of a response, one sentence each; none if it is as the contract says. The server compares each response
 * with the contract, and sends a 500 in place of one that is not documented.
 */
export function judge(
  operation: FuzzedOperation,
  request: HttpRequest,
  promised: Promised,
  response: HttpResponse,
): string[] {
  if (response.status >= 500) return [`the response is a ${response.status}`];
  return [...promiseProblems(operation, request, promised, response), ...allowProblems(operation, response)];
}

function promiseProblems(
  operation: FuzzedOperation,
  request: HttpRequest,
  promised: Promised,
  response: HttpResponse,
): string[] {
  const { status } = response;
  if (promised.kind === 'refused') return refusalProblems(promised, response);
  if (promised.kind === 'declined' && status === promised.status)
    return refusalProblems({ ...promised, kind: 'refused' }, response);
  if (status < 400) return successProblems(operation, request, promised, response);
  if (isExplained(operation, request, response)) return [];
  return [`the request is valid, and was refused with ${status} ${fieldOf(response, 'code')}`];
}

function successProblems(
  { responses }: FuzzedOperation,
  request: HttpRequest,
  promised: Promised,
  { status, headers }: HttpResponse,
): string[] {
  if (promised.kind === 'declined')
    return [`the response should be ${promised.status} ${promised.code}, and is ${status}`];
  if (status === 304 && !hasHeader(request, 'If-None-Match')) return ['the response is 304, without an If-None-Match'];
  if (responses.has(428) && !hasHeader(request, 'If-Match')) return ['the request has no If-Match, and was accepted'];
  const type = headers.get('content-type');
  const isWanted = promised.kind !== 'accepted' || promised.type === undefined || type?.startsWith(promised.type);
  return isWanted === false ? [`the Content-Type should be the one of Accept, and is ${type}`] : [];
}

/** Whether the stored data explain the refusal of a valid request. */
function isExplained({ responses }: FuzzedOperation, request: HttpRequest, response: HttpResponse): boolean {
  const { status } = response;
  const code = fieldOf(response, 'code');
  const documented = responses.get(status)?.codes ?? [];
  if (!refusalsByState.has(status) || (code !== undefined && !documented.includes(String(code)))) return false;
  if (status === 412 && !hasHeader(request, 'If-Match')) return false;
  if (status === 428 && hasHeader(request, 'If-Match')) return false;
  return hasHeader(request, 'Idempotency-Key') || !String(code).startsWith('idempotency_');
}

function hasHeader({ headers }: HttpRequest, wanted: string): boolean {
  return headers.some(([name]) => name === wanted);
}

function refusalProblems(promised: Extract<Promised, { kind: 'refused' }>, response: HttpResponse): string[] {
  const { status, code, where, below = false, names = [] } = promised;
  const found = fieldOf(response, 'code');
  // A response to HEAD has no body to read a code from, so only its status is checked.
  if (response.status !== status || (response.text !== '' && found !== code)) {
    return [`the response should be ${status} ${code}, and is ${response.status} ${found ?? ''}`];
  }
  // Problem details have their text under another name.
  const message = String(fieldOf(response, 'message') ?? fieldOf(response, 'detail'));
  const unnamed = response.text === '' ? [] : names.filter((name) => !message.includes(name));
  if (unnamed.length > 0) return [`the message should name ${unnamed.join(', ')}, and is ${JSON.stringify(message)}`];
  if (where === undefined) return [];
  const details = fieldOf(response, 'details');
  const places = Array.isArray(details) ? details.map((detail) => (isRecord(detail) ? detail['where'] : detail)) : [];
  const isMeant = (place: unknown) => place === where || (below && String(place).startsWith(`${where}/`));
  if (places.length > 0 && places.every(isMeant)) return [];
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
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body[name] : undefined;
  } catch {
    return undefined;
  }
}
