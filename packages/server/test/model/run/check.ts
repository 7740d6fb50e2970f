import fc from 'fast-check';
import type { Action } from '../actions/action.ts';
import { actionSequences } from '../actions/sequences.ts';
import { failureOf, type ModelFailure } from './failure.ts';
import { type Played, play, type Step } from './play.ts';
import { type StartServer, startUsual } from './subject.ts';

export type CheckOptions = {
  runs: number;
  seed: number;
  start?: StartServer;
  /** The maximum number of sequences to try while shrinking a failing one. Default: 500. */
  maxShrinkRuns?: number;
};

/** `responses` counts responses by name, such as "createOrder 409", or "createOrder 201 replayed" for a repeated one. */
export type CheckReport = { runs: number; responses: Map<string, number>; failure: ModelFailure | undefined };

/** Runs sequences until one differs from the model, and shrinks that one. */
export async function checkModel({
  runs,
  seed,
  start = startUsual,
  maxShrinkRuns = 500,
}: CheckOptions): Promise<CheckReport> {
  const responses = new Map<string, number>();
  let differing: Played | undefined;
  const property = fc.asyncProperty(actionSequences, async (actions) => {
    const played = await play(actions, start);
    count(responses, played);
    if (played.problems.length === 0) return true;
    differing = played;
    return false;
  });
  const { numRuns, errorInstance } = await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
  // An error in the model or in an action, such as a missing one.
  if (differing === undefined && errorInstance !== null && errorInstance !== undefined) throw errorInstance;
  if (differing === undefined) return { runs: numRuns, responses, failure: undefined };
  return { runs: numRuns, responses, failure: failureOf(await shrunk(start, differing, maxShrinkRuns), seed, numRuns) };
}

/** The smallest failing sequence that fast-check finds, starting from the steps up to the one that failed. */
async function shrunk(start: StartServer, differing: Played, maxShrinkRuns: number): Promise<Played> {
  let smallest = differing;
  let tries = 0;
  const property = fc.asyncProperty(actionSequences, async (actions) => {
    tries += 1;
    // After the maximum, every sequence counts as passing, so that fast-check ends.
    if (tries > maxShrinkRuns) return true;
    const played = await play(actions, start);
    if (played.problems.length > 0) smallest = played;
    return played.problems.length === 0;
  });
  await fc.check(property, { examples: [[actionsDone(differing)]], numRuns: 1 });
  return smallest;
}

/** Without actions that had no link to follow or request to repeat. */
function actionsDone({ steps }: Played): Action[] {
  const done = ({ action, request }: Step) => request !== undefined || action.do === 'wait' || action.do === 'restart';
  return steps.filter(done).map(({ action }) => action);
}

function count(responses: Map<string, number>, { steps }: Played): void {
  for (const { request, response } of steps) {
    if (request === undefined || response === undefined) continue;
    const replayed = response.headers.has('idempotency-replayed') ? ' replayed' : '';
    const name = `${request.id} ${response.status}${replayed}`;
    responses.set(name, (responses.get(name) ?? 0) + 1);
  }
}
