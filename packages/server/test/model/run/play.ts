import type { TestResponse } from '../../harness.ts';
import type { Action, ModelRequest } from '../actions/action.ts';
import { callOf, requestOf } from '../actions/request.ts';
import { answer } from '../store/answer.ts';
import { assignedIds } from '../store/ids.ts';
import { secretOf } from '../store/keys.ts';
import { emptyStore, type Store } from '../store/store.ts';
import { differences, nextLink } from './compare.ts';
import { changeKey } from './keys.ts';
import { timeAt } from './moments.ts';
import { type NewDatabase, type Subject, startSubject } from './subject.ts';

type Step = { action: Action; request?: ModelRequest | undefined; response?: TestResponse };

/** The steps up to the first one that differs, and the differences. */
type Played = { steps: Step[]; problems: string[] };

/** Runs a sequence on a new server and on the model, and compares them after each step. */
export async function play(actions: readonly Action[], newDatabase: NewDatabase): Promise<Played> {
  await using subject = await startSubject(newDatabase);
  const store = emptyStore(subject.server().clock.now, subject.server().url, subject.keys);
  const steps: Step[] = [];
  for (const action of actions) {
    const step: Step = { action };
    steps.push(step);
    const problems = await take(subject, store, step);
    if (problems.length > 0) return { steps, problems };
  }
  return { steps, problems: [] };
}

async function take(subject: Subject, store: Store, step: Step): Promise<string[]> {
  const { action } = step;
  if (action.do === 'restart') {
    await subject.restart();
    store.origin = subject.server().url;
    return [];
  }
  if (isOf(action, 'key')) return changeKey(subject.server(), store, action);
  if (isOf(action, 'wait')) return moveClock(subject, store, store.now + action.milliseconds);
  if (isOf(action, 'until')) return moveClock(subject, store, timeAt(store, action.moment, action.offset));
  step.request = requestOf(store, action);
  return step.request === undefined ? [] : send(subject, store, step, step.request);
}

function isOf<Name extends 'wait' | 'until' | 'key'>(
  action: Action,
  name: Name,
): action is Extract<Action, { do: Name }> {
  return action.do === name;
}

function moveClock(subject: Subject, store: Store, now: number): string[] {
  store.now = now;
  subject.server().clock.now = now;
  return [];
}

async function send(subject: Subject, store: Store, step: Step, request: ModelRequest): Promise<string[]> {
  let response: TestResponse;
  try {
    response = await subject.server().call(request.id, { ...callOf(request), key: secretOf(store, request).secret });
  } catch (violation) {
    // The harness checks every response against the contract.
    return [violation instanceof Error ? violation.message : String(violation)];
  }
  step.response = response;
  const expected = answer(store, request, freshId(store, request, response));
  const problems = differences(store, request, expected, response);
  if (request.once !== undefined) store.repeatable.push(request);
  const link = nextLink(response.headers);
  const { lastOfMore } = expected;
  if (link !== undefined && lastOfMore !== undefined && request.next !== undefined) {
    store.links.push({ ...request, ...request.next(lastOfMore, link.search.slice(1)) });
  }
  return problems;
}

/** The ID in the response if it is higher than all of its kind that were assigned; otherwise the next higher ID. */
function freshId(store: Store, { id }: ModelRequest, { body }: TestResponse): number {
  const last = Math.max(0, ...assignedIds(store, id));
  return Number.isSafeInteger(body?.id) && body.id > last ? body.id : last + 1;
}
