import fc from 'fast-check';
import type { FuzzedOperation } from '../requests/contract.ts';
import { type Kind, kindsOf } from '../requests/kinds.ts';
import type { RequestParts } from '../requests/request.ts';
import type { GivenValues } from '../requests/valid.ts';
import { CONNECTIONS, type Target } from '../target/target.ts';
import { type Failure, failureOf, shrunkFailure } from './failure.ts';
import { type Outcome, revalidationProblems, type SeenEtags, tryRequest, unauthorizedProblems } from './try-request.ts';

export type FuzzOptions = {
  /** How many requests per operation. */
  runs: number;
  seed: number;
  /** Sends only the kind of request with that name. */
  kind?: string | undefined;
};

/** `accepted` counts the requests whose response was 2xx or 304. */
export type Report = { requests: number; accepted: number; failures: Failure[] };

/**
 * How often the kind "valid" is tried compared to each of the others: it covers many cases, which are found by chance
 * only.
 */
const VALID_WEIGHT = 10;

/** One request in this many is also sent by callers without permission, and again with the ETag of its response. */
const REPEAT_STEP = 4;

/** Further failures usually have the same cause. */
const MOST_SHRUNK = 3;

/**
 * Tries every kind of request to an operation, at least once each. Reports one failure per kind, because one is enough to
 * find the cause.
 */
export async function fuzzOperation(
  target: Target,
  operation: FuzzedOperation,
  given: GivenValues,
  { runs, seed, kind: only }: FuzzOptions,
): Promise<Report> {
  const kinds = kindsOf(operation, given).filter(({ name }) => only === undefined || name === only);
  const seen: SeenEtags = { bodies: new Map(), etags: new Map() };
  const report: Report = { requests: 0, accepted: 0, failures: [] };
  for (const [kind, count] of sharesOf(kinds, runs)) {
    const { accepted, failure } = await fuzzKind(
      { target, operation, kind, seed, seen, isShrunk: report.failures.length < MOST_SHRUNK },
      count,
    );
    report.requests += count;
    report.accepted += accepted;
    if (failure !== undefined) report.failures.push(failure);
  }
  return report;
}

/** The number of requests of each kind. The first kind, the valid one, also gets the requests that large kinds do not use. */
function sharesOf(kinds: Kind[], runs: number): [kind: Kind, count: number][] {
  const weights = kinds.map(({ name }) => (name === 'valid' ? VALID_WEIGHT : 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = kinds.map(({ most = runs }, index) =>
    Math.min(most, Math.ceil((runs * (weights[index] ?? 1)) / whole)),
  );
  const rest = Math.max(0, runs - shares.reduce((sum, share) => sum + share, 0));
  return kinds.map((kind, index) => [kind, (shares[index] ?? 1) + (index === 0 ? rest : 0)]);
}

export type Trial = {
  target: Target;
  operation: FuzzedOperation;
  kind: Kind;
  seed: number;
  seen: SeenEtags;
  isShrunk: boolean;
};

/**
 * Sends several requests at the same time; one that fails is sent again alone and shrunk. fast-check would try the same
 * requests one after another, so its path to the request number n is n.
 */
async function fuzzKind(trial: Trial, count: number): Promise<{ accepted: number; failure?: Failure | undefined }> {
  const requests = fc.sample(trial.kind.requests, { numRuns: count, seed: trial.seed });
  const before = trial.target.snapshot();
  const outcomes = await inFlight(requests, (parts) => tryOne(trial, parts));
  const accepted = outcomes.filter(({ response }) => response.status < 400).length;
  const index = outcomes.findIndex(({ problems }) => problems.length > 0);
  const outcome = outcomes[index];
  if (outcome !== undefined) {
    const shrunk = trial.isShrunk ? await shrunkFailure(trial, index) : undefined;
    return { accepted, failure: shrunk ?? failureOf(trial, requests[index], outcome) };
  }
  const refused = outcomes.flatMap(({ response }, at) => (response.status >= 400 ? [at] : []));
  const hasWritten = accepted > 0 ? await writesAgain(trial, requests, refused) : before !== trial.target.snapshot();
  if (hasWritten) return { accepted, failure: await firstFailure(trial, refused) };
  return { accepted, failure: await repeatedFailure(trial, requests, outcomes) };
}

async function tryOne({ target, operation, kind, seen }: Trial, parts: RequestParts): Promise<Outcome> {
  return tryRequest(target, operation, kind, parts, seen);
}

/** Sends some of the requests again from callers without permission, and some with the ETag of their responses. */
async function repeatedFailure(
  trial: Trial,
  requests: RequestParts[],
  outcomes: Outcome[],
): Promise<Failure | undefined> {
  const { target, operation, kind } = trial;
  const repeated = [...requests.entries()].filter(([index]) => index % REPEAT_STEP === 0);
  const before = target.snapshot();
  const problems = await inFlight(repeated, ([, parts]) => unauthorizedProblems(target, operation, kind, parts));
  const hasWritten = operation.access !== 'public' && target.snapshot() !== before;
  const again = await inFlight(repeated, async ([index, parts]) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : revalidationProblems(target, operation, parts, outcome.response);
  });
  const suspects = repeated.flatMap(([index], at) =>
    hasWritten || [...(problems[at] ?? []), ...(again[at] ?? [])].length > 0 ? [index] : [],
  );
  const failure = trial.isShrunk ? await firstFailure(trial, suspects) : undefined;
  if (failure !== undefined || suspects.length === 0) return failure;
  const [index = 0] = suspects;
  const outcome = outcomes[index];
  const found = [
    ...problems.flat(),
    ...again.flat(),
    ...(hasWritten ? ['a caller that may not write has written'] : []),
  ];
  return outcome === undefined ? undefined : failureOf(trial, requests[index], { ...outcome, problems: found });
}

/** If some requests were accepted, it is unknown which request wrote, so the refused ones are sent again alone. */
async function writesAgain(trial: Trial, requests: RequestParts[], refused: number[]): Promise<boolean> {
  const { target, operation, kind, seen } = trial;
  const again = requests.filter((_, index) => refused.includes(index));
  const before = target.snapshot();
  await inFlight(again, (parts) => tryRequest(target, operation, kind, parts, seen));
  return target.snapshot() !== before;
}

async function firstFailure(trial: Trial, indices: number[]): Promise<Failure | undefined> {
  for (const index of indices) {
    const failure = await shrunkFailure(trial, index);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Runs the work for every entry, for as many at the same time as there are connections. Returns the results in order. */
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
