import { isDeepStrictEqual } from 'node:util';
import { plans } from '@animal-store/contract';
import { KeyError } from '../../../service/src/keys/new-key.ts';
import { operationFacts } from '../contract.ts';
import { type CallParts, NOON, startTestServer, type TestResponse, type TestServer, urlOf } from '../harness.ts';
import type { Action, ModelRequest, OperationStep, Planned } from './action.ts';
import { operationActions, timeAt } from './sequences.ts';
import {
  answer,
  assignedIds,
  bodyOf,
  DAY,
  type Expected,
  emptyStore,
  etagOfBody,
  etagsSeenBy,
  learnEtag,
  type ModelKey,
  type Store,
  secretOf,
} from './store.ts';

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

/** Makes a database for a sequence. */
export type NewDatabase = () => Promise<{ url: string; remove: () => Promise<void> }>;

/**
 * The harness checks responses against the contract; the server's own check would more than double the time of a start.
 */
const config = { validateResponses: false };

/** A server that can be restarted on its database, and its two API keys. */
type Subject = {
  server: () => TestServer;
  keys: readonly [ModelKey, ModelKey];
  restart: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** High enough for any sequence; refusals and bans have their own tests. */
const UNREACHABLE = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

/** Creates a key for a sequence. */
async function createModelKey({ keys }: TestServer, lifetime: { expiresIn?: number } = {}): Promise<ModelKey> {
  const plan = 'enterprise';
  const { key, secret } = await keys.create({ plan, ...UNREACHABLE, ...lifetime });
  return { id: key.id, plan, limits: UNREACHABLE, secret, endsAt: key.expiresAt ?? Number.POSITIVE_INFINITY };
}

async function startSubject(newDatabase: NewDatabase): Promise<Subject> {
  const database = await newDatabase();
  const start = (now: number) => startTestServer({ databaseUrl: database.url, now, config });
  let server = await start(NOON);
  const keys = [await createModelKey(server), await createModelKey(server, { expiresIn: 3 * DAY })] as const;
  return {
    server: () => server,
    keys,
    restart: async () => {
      await server.stop();
      server = await start(server.clock.now);
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await database.remove();
    },
  };
}

export type KeyChange = 'rotate' | 'rotate with overlap' | 'change plan' | 'revoke';

/** Milliseconds for which an older secret works after a rotation. */
const OVERLAP = 60_000;

/** Changes a key on the server and in the model. Returns a problem if the server refuses it for a key that works, or does not. */
async function changeKey(
  { keys }: TestServer,
  { now, keys: known }: Store,
  { change, by }: Extract<Action, { do: 'key' }>,
): Promise<string[]> {
  const key = known[by];
  const shouldWork = change === 'revoke' || now < key.endsAt;
  const works = await changes[change](keys, key, now).then(
    () => true,
    (error) => {
      if (error instanceof KeyError) return false;
      throw error;
    },
  );
  return works === shouldWork ? [] : [`"${change}" should be ${shouldWork ? 'accepted' : 'refused'}, and is not`];
}

const changes: Record<KeyChange, (keys: TestServer['keys'], key: ModelKey, now: number) => Promise<void>> = {
  rotate: (keys, key, now) => rotate(keys, key, now, 0),
  'rotate with overlap': (keys, key, now) => rotate(keys, key, now, OVERLAP),
  'change plan': async (keys, key) => {
    const [plan, limits] =
      key.plan === 'business' ? (['enterprise', UNREACHABLE] as const) : (['business', {}] as const);
    await keys.set(key.id, { plan, ...limits });
    key.plan = plan;
    key.limits = { ...plans.business, ...limits };
  },
  revoke: async (keys, key, now) => {
    await keys.revoke(key.id);
    key.endsAt = Math.min(key.endsAt, now);
  },
};

async function rotate(keys: TestServer['keys'], key: ModelKey, now: number, overlap: number): Promise<void> {
  const { secret } = await keys.rotate(key.id, overlap);
  key.older = { secret: key.secret, endsAt: now + overlap };
  key.secret = secret;
}

/** The differences between a response and the prediction of the model, one sentence each. */
function differences(
  { origin, etags }: Store,
  request: ModelRequest,
  expected: Expected,
  response: TestResponse,
): string[] {
  const body = response.status < 400 ? response.body : { code: response.body.code, status: response.body.status };
  const link = nextLink(response.headers);
  const problems = [
    ...unlessEqual('the status', expected.status, response.status),
    ...unlessEqual('the body', expected.body, body),
    ...unlessEqual('Location', expected.location ?? null, response.headers.get('location')),
    ...unlessEqual(
      'Idempotency-Replayed',
      expected.replayed === true ? 'true' : null,
      response.headers.get('idempotency-replayed'),
    ),
    ...unlessEqual('a Link to the next page', expected.lastOfMore !== undefined, link !== undefined),
    ...(link === undefined ? [] : linkProblems(origin, request, link)),
    ...(expected.etag === undefined ? [] : unlessEqual('the ETag', expected.etag, response.headers.get('etag'))),
  ];
  if (problems.length > 0 || operationFacts[request.id].responses[response.status]?.etag !== true) return problems;
  return learnEtag(etags, request.id, expected, response.headers.get('etag'));
}

function unlessEqual(what: string, expected: unknown, found: unknown): string[] {
  if (isDeepStrictEqual(expected, found)) return [];
  return [`${what} should be ${JSON.stringify(expected)}, and is ${JSON.stringify(found)}`];
}

/** The URL of the next page; undefined if the response has none. */
function nextLink(headers: Headers): URL | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return address === undefined ? undefined : new URL(address);
}

/** The next page must belong to the same listing, with another cursor. */
function linkProblems(origin: string, request: ModelRequest, link: URL): string[] {
  const asked = new URL(urlOf(origin, request.id, callOf(request)));
  const name = (url: URL) => {
    const { limit = String(operationFacts[request.id].defaults['limit']), ...filters } = parametersOf(url);
    return { listing: `${url.origin}${url.pathname}`, limit, ...filters };
  };
  const isNew = link.searchParams.get('cursor') !== asked.searchParams.get('cursor');
  return [
    ...unlessEqual('the next page', name(asked), name(link)),
    ...(isNew ? [] : ['Link refers to the same page again']),
  ];
}

/** The parameters of a URL without the cursor. The values of a repeated name are joined with commas. */
function parametersOf({ searchParams }: URL): Record<string, string> {
  const names = [...new Set(searchParams.keys())].filter((name) => name !== 'cursor');
  return Object.fromEntries(names.map((name) => [name, searchParams.getAll(name).join()]));
}

type CallAction = Exclude<Action, { do: 'wait' | 'until' | 'key' | 'restart' }>;

/** The request for an action; undefined if there is no link to follow or request to repeat yet. */
function requestOf(store: Store, action: CallAction): ModelRequest | undefined {
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
function callOf({ id, call, once }: ModelRequest): CallParts {
  const [type] = Object.keys(operationFacts[id].requestBody?.mediaTypes ?? {});
  const headers = {
    ...(call.body === undefined || type === undefined ? {} : { 'content-type': type }),
    ...call.headers,
    ...(once === undefined ? {} : { 'Idempotency-Key': `once-${once}` }),
  };
  return { ...call, headers };
}
