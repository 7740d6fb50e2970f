import type { FuzzedOperation } from '../requests/contract.ts';
import type { Kind, Promised } from '../requests/kinds.ts';
import { type HttpRequest, type RequestParts, toHttp } from '../requests/request.ts';
import type { HttpResponse, Sender } from '../target/sender.ts';
import type { Target } from '../target/target.ts';
import { judge, keyMissing, scopeMissing } from './judge.ts';

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
