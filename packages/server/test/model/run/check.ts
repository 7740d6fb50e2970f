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
  /** How many sequences are tried, at most, to make one that fails smaller (500). */
  timeoutMs?: number;
};

/** `responses` counts what was answered, such as "createOrder 409"; a response that was given again is "createOrder 201 replayed". */
export type CheckReport = { runs: number; responses: Map<string, number>; failure: ModelFailure | undefined };

/** Plays sequences until one differs from the model, and makes that one as small as it goes. */
export async function checkModel({
  runs,
  seed,
  start = startUsual,
  timeoutMs = 500,
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
  // An error of the model or of an action, such as one that is not written yet.
  if (differing === undefined && errorInstance !== null && errorInstance !== undefined) throw errorInstance;
  if (differing === undefined) return { runs: numRuns, responses, failure: undefined };
  return { runs: numRuns, responses, failure: failureOf(await shrunk(start, differing, timeoutMs), seed, numRuns) };
}

/** The smallest sequence that fast-check finds to differ, from what was done up to the step that did. */
async function shrunk(start: StartServer, differing: Played, timeoutMs: number): Promise<Played> {
  let smallest = differing;
  let tries = 0;
  const property = fc.asyncProperty(actionSequences, async (actions) => {
    tries += 1;
    // What is not tried any more does not fail, so fast-check comes to an end.
    if (tries > timeoutMs) return true;
    const played = await play(actions, start);
    if (played.problems.length > 0) smallest = played;
    return played.problems.length === 0;
  });
  await fc.check(property, { examples: [[actionsDone(differing)]], numRuns: 1 });
  return smallest;
}

/** Without those that had nothing yet to follow or to repeat. */
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
