import type { FuzzedOperation } from '../requests/contract.ts';
import type { Kind } from '../requests/kinds.ts';
import { type RequestParts, toHttp } from '../requests/request.ts';
import type { HttpResponse } from '../target/sender.ts';
import type { Target } from '../target/target.ts';
import { judge, keyMissing } from './judge.ts';

export type Outcome = { response: HttpResponse; problems: string[] };

/** Sends a request with the key, and says what is wrong with the response. */
export async function tryRequest(
  target: Target,
  operation: FuzzedOperation,
  { promised }: Kind,
  parts: RequestParts,
): Promise<Outcome> {
  const request = toHttp(operation, parts);
  const response = await target.send(request, { key: target.key });
  return { response, problems: judge(operation, request, promised, response) };
}

/** What is wrong with the response to the same request without a key. */
export async function keylessProblems(
  target: Target,
  operation: FuzzedOperation,
  parts: RequestParts,
): Promise<string[]> {
  const request = toHttp(operation, parts);
  const response = await target.send(request, { address: nextAddress() });
  return judge(operation, request, keyMissing, response).map((problem) => `without the key: ${problem}`);
}

/** A request with and without the key, alone: what it has written although it was refused is seen, too. */
export async function tryAlone(
  target: Target,
  operation: FuzzedOperation,
  kind: Kind,
  parts: RequestParts,
): Promise<Outcome> {
  const before = target.snapshot();
  const { response, problems } = await tryRequest(target, operation, kind, parts);
  const hasWritten = response.status >= 400 && target.snapshot() !== before;
  const written = hasWritten ? ['the request was refused, and something was written'] : [];
  return { response, problems: [...problems, ...written, ...(await keylessProblems(target, operation, parts))] };
}

let addresses = 0;

/** Quotas of callers without a key are by address, and not what is tried here. */
function nextAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}
