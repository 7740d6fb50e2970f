import fc from 'fast-check';
import { curlLine } from '../requests/curl.ts';
import { type RequestParts, toHttp } from '../requests/request.ts';
import type { Trial } from './fuzz-operation.ts';
import { type Outcome, tryAlone } from './try-request.ts';

/** A request whose response violates the contract. */
export type Failure = {
  operation: string;
  kind: string;
  seed: number;
  problems: string[];
  /** The request as a curl line for a server that `npm start` has started. */
  curl: string;
  answer: string;
};

/** The maximum milliseconds for shrinking one failure. */
const TIME_LIMIT = 5_000;

/** The request number `index` of a kind, sent alone and shrunk; undefined if it does not fail alone. */
export async function shrunkFailure(trial: Trial, index: number): Promise<Failure | undefined> {
  const { target, operation, kind, seed, seen } = trial;
  let smallest: Failure | undefined;
  const property = fc.asyncProperty(kind.requests, async (parts) => {
    const outcome = await tryAlone(target, operation, kind, parts, seen);
    if (outcome.problems.length === 0) return true;
    smallest = failureOf(trial, parts, outcome);
    return false;
  });
  await fc.check(property, { seed, path: String(index), numRuns: 1, interruptAfterTimeLimit: TIME_LIMIT });
  return smallest;
}

export function failureOf(
  { operation, kind, seed }: Trial,
  parts: RequestParts | undefined,
  { problems, response }: Outcome,
): Failure {
  const curl = parts === undefined ? '' : curlLine(toHttp(operation, parts));
  return {
    operation: operation.id,
    kind: kind.name,
    seed,
    problems,
    curl,
    answer: `${response.status} ${response.text}`,
  };
}

/** A readable description of a failure, with the request as a curl line and the command that repeats it. */
export function failureText({ operation, kind, seed, problems, curl, answer }: Failure): string {
  return [
    `${operation}, ${kind}, seed ${seed}:`,
    ...problems.map((problem) => `  ${problem}`),
    `  ${curl}`,
    `  response: ${answer.slice(0, 500)}`,
    `  repeat with: npm run fuzz -- --operation ${operation} --seed ${seed} --kind '${kind}'`,
  ].join('\n');
}
