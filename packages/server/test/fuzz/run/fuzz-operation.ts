import fc from 'fast-check';
import type { FuzzedOperation } from '../requests/contract.ts';
import { type Kind, kindsOf } from '../requests/kinds.ts';
import type { RequestParts } from '../requests/request.ts';
import type { GivenValues } from '../requests/valid.ts';
import { CONNECTIONS, type Target } from '../target/target.ts';
import { type Failure, failureOf, shrunkFailure } from './failure.ts';
import { keylessProblems, type Outcome, tryRequest } from './try-request.ts';

export type FuzzOptions = {
  /** How many requests per operation. */
  runs: number;
  seed: number;
  /** Only the kind of request of that name. */
  kind?: string | undefined;
};

/** `accepted` counts the requests that were answered 2xx. */
export type Report = { requests: number; accepted: number; failures: Failure[] };

/** How many times as often as each of the others the kind "valid" is tried: what it hides is found by luck only. */
const VALID_WEIGHT = 10;

/** Every how many requests one is sent without the key, too. */
const KEYLESS_STEP = 4;

/** Tries every kind of request to an operation, at least once each. One failure per kind is enough to mend it. */
export async function fuzzOperation(
  target: Target,
  operation: FuzzedOperation,
  given: GivenValues,
  { runs, seed, kind: only }: FuzzOptions,
): Promise<Report> {
  const kinds = kindsOf(operation, given).filter(({ name }) => only === undefined || name === only);
  const weights = kinds.map(({ name }) => (name === 'valid' ? VALID_WEIGHT : 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const report: Report = { requests: 0, accepted: 0, failures: [] };
  for (const [index, kind] of kinds.entries()) {
    const count = Math.ceil((runs * (weights[index] ?? 1)) / whole);
    const { accepted, failure } = await fuzzKind({ target, operation, kind, seed }, count);
    report.requests += count;
    report.accepted += accepted;
    if (failure !== undefined) report.failures.push(failure);
  }
  return report;
}

export type Trial = { target: Target; operation: FuzzedOperation; kind: Kind; seed: number };

/**
 * Several requests are under way at the same time; one that fails is tried again alone and made smaller. They are the
 * same ones as fast-check would try in a row: its path to the request number n is n.
 */
async function fuzzKind(trial: Trial, count: number): Promise<{ accepted: number; failure?: Failure | undefined }> {
  const requests = fc.sample(trial.kind.requests, { numRuns: count, seed: trial.seed });
  const before = trial.target.snapshot();
  const outcomes = await inFlight(requests, (parts, index) => tryOne(trial, parts, index));
  const accepted = outcomes.filter(({ response }) => response.status < 300).length;
  const index = outcomes.findIndex(({ problems }) => problems.length > 0);
  const outcome = outcomes[index];
  if (outcome !== undefined) {
    return { accepted, failure: (await shrunkFailure(trial, index)) ?? failureOf(trial, requests[index], outcome) };
  }
  const refused = outcomes.flatMap(({ response }, at) => (response.status >= 400 ? [at] : []));
  const hasWritten = accepted > 0 ? await writesAgain(trial, requests, refused) : before !== trial.target.snapshot();
  return { accepted, failure: hasWritten ? await firstFailure(trial, refused) : undefined };
}

async function tryOne({ target, operation, kind }: Trial, parts: RequestParts, index: number): Promise<Outcome> {
  const { response, problems } = await tryRequest(target, operation, kind, parts);
  const keyless = index % KEYLESS_STEP === 0 ? await keylessProblems(target, operation, parts) : [];
  return { response, problems: [...problems, ...keyless] };
}

/** Between accepted requests nobody can tell who wrote, so those that were refused are sent again by themselves. */
async function writesAgain(trial: Trial, requests: RequestParts[], refused: number[]): Promise<boolean> {
  const { target, operation, kind } = trial;
  const again = requests.filter((_, index) => refused.includes(index));
  const before = target.snapshot();
  await inFlight(again, (parts) => tryRequest(target, operation, kind, parts));
  return target.snapshot() !== before;
}

async function firstFailure(trial: Trial, indices: number[]): Promise<Failure | undefined> {
  for (const index of indices) {
    const failure = await shrunkFailure(trial, index);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Does the work for every entry, with as many at the same time as there are connections; the results in their order. */
async function inFlight<Entry, Result>(
  entries: Entry[],
  work: (entry: Entry, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = entries.entries();
  const worker = async () => {
    for (const [index, entry] of waiting) results[index] = await work(entry, index);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return results;
}
