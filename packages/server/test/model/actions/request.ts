import { operationFacts } from '@animal-store/contract';
import type { CallParts } from '../../harness.ts';
import { bodyOf, etagOfBody, etagsSeenBy } from '../store/etags.ts';
import type { Store } from '../store/store.ts';
import type { Action, ModelRequest, OperationStep, Planned } from './action.ts';
import { operationActions } from './index.ts';

export type CallAction = Exclude<Action, { do: 'wait' | 'until' | 'key' | 'restart' }>;

/** The request for an action; undefined if there is no link to follow or request to repeat yet. */
export function requestOf(store: Store, action: CallAction): ModelRequest | undefined {
  if (isFollow(action)) return again(store.links, action.link, action);
  if (isRepeat(action)) return again(store.repeatable, action.request, action);
  const { do: id, by, once } = action;
  const planned = operationActions.get(id)?.plan(store, action);
  if (planned === undefined) throw new Error(`The model has no action for ${id}.`);
  return { ...planned, call: withKnown(store, action, planned), id, by, once };
}

function isFollow(action: CallAction): action is Extract<Action, { do: 'follow' }> {
  return action.do === 'follow';
}

function isRepeat(action: CallAction): action is Extract<Action, { do: 'repeat' }> {
  return action.do === 'repeat';
}

function again(requests: ModelRequest[], index: number, { by }: CallAction): ModelRequest | undefined {
  const found = requests.at(-1 - index);
  return found === undefined ? undefined : { ...found, by };
}

/** The call with an ETag, if the step has one: the ETag of the current body if it was seen, or an older ETag of the operation. */
function withKnown(store: Store, { do: id, by, known }: OperationStep, { call, answer }: Planned): CallParts {
  if (typeof known !== 'number') return call;
  const { body, next } = answer(store, { by, freshId: 0 });
  const current = etagOfBody(store.etags, bodyOf(body, next));
  const etag = known === 0 ? current : etagsSeenBy(store.etags, id).at(-known);
  return etag === undefined ? call : { ...call, headers: { ...call.headers, 'If-None-Match': etag } };
}

/** The request as an HTTP call, without the API key. */
export function callOf({ id, call, once }: ModelRequest): CallParts {
  const [type] = Object.keys(operationFacts[id].requestBody?.mediaTypes ?? {});
  const headers = {
    ...(call.body === undefined || type === undefined ? {} : { 'content-type': type }),
    ...call.headers,
    ...(once === undefined ? {} : { 'Idempotency-Key': `once-${once}` }),
  };
  return { ...call, headers };
}
