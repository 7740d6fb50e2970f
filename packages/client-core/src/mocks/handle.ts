import type { SentCredential } from '../credentials.ts';
import {
  type AnyCall,
  type AnyResolver,
  type GivenReply,
  type MockedContract,
  type MockedOperation,
  type QuotaState,
  Refusal,
} from './contract.ts';
import { acceptedExamples } from './media-types.ts';
import { readRequest } from './read-request.ts';
import { exampleReply, replyOf, respond } from './respond.ts';
import type { MockState } from './state.ts';

/** The state that the handlers of a contract share. */
export type MockParts = {
  contract: MockedContract;
  state: MockState;
  store: MockStore<unknown, Readonly<Record<string, AnyResolver | undefined>>>;
};

/** What the mocks respond with. */
export type MockStore<Data, Resolvers> = {
  /** The current content. */
  readonly data: Data;
  /** How the operations behave. An operation without a resolver returns the example of its success. */
  readonly resolvers: Resolvers;
  /** Does what happens as time passes. Called before each operation. */
  refresh: () => void;
  reset: () => void;
};

/** A request of an operation, and the values of its path parameters. */
export type Sent = { id: string; request: Request; path: Readonly<Record<string, unknown>> };

/**
 * Handles a request in the same steps as the API: counts it, checks the API key, the accepted media types, the body and
 * the parameters, and looks up the Idempotency-Key. Then `resolver` computes the response; if it returns undefined, the
 * resolver of the operation does.
 */
export async function handle(mocks: MockParts, sent: Sent, resolver?: AnyResolver): Promise<Response> {
  const { contract, state, store } = mocks;
  const { id, request, path } = sent;
  const operation = operationOf(contract, id);
  const isKnown = hasCredentials(contract, operation, request);
  const quota = state.count(isKnown);
  try {
    if (quota.refusal !== undefined) throw quota.refusal;
    checkCaller(contract, operation, isKnown);
    checkAccept(contract, id, request);
    const input = await readRequest(contract, id, request.clone(), path);
    const call: AnyCall = { ...input, quota: quota.windows, request };
    const run = async () => {
      store.refresh();
      const reply = (await resolver?.(call)) ?? (await store.resolvers[id]?.(call));
      return reply ?? { status: exampleReply(contract, id).status };
    };
    const key = operation.idempotent ? request.headers.get('Idempotency-Key') : null;
    const { 'Idempotency-Key': _, ...header } = input.header;
    const reply = await (key === null ? run() : state.runOnce(key, [id, { ...input, header }], run));
    return respond(contract, sent, withQuota(reply, quota.windows));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return respond(contract, sent, withQuota(refusalReply(contract, id, error), quota.windows));
  }
}

function operationOf({ operations }: MockedContract, id: string): MockedOperation {
  const operation = operations[id];
  if (operation === undefined) throw new TypeError(`The contract has no operation ${id}.`);
  return operation;
}

const bearer: SentCredential = { name: 'Authorization', prefix: 'Bearer ' };

/** Any credentials are valid; only missing ones are refused. */
function hasCredentials({ credentials }: MockedContract, { security }: MockedOperation, request: Request): boolean {
  if (credentials === undefined || security === undefined) return isSent(bearer, request);
  return security.flatMap(Object.keys).some((scheme) => isSent(credentials[scheme] ?? bearer, request));
}

function isSent({ name, prefix }: SentCredential, { headers }: Request): boolean {
  const value = headers.get(name) ?? '';
  return value.length > prefix.length && value.toLowerCase().startsWith(prefix.toLowerCase());
}

function checkCaller({ credentials }: MockedContract, operation: MockedOperation, isKnown: boolean): void {
  const { access, deprecation } = operation;
  if (access !== 'public' && !isKnown) {
    const isBearer = Object.values(credentials ?? {}).every(({ prefix }) => prefix === bearer.prefix);
    const message = isBearer
      ? 'This operation requires an API key. Send it as "Authorization: Bearer <API_KEY>".'
      : 'This operation requires credentials.';
    throw new Refusal('api_key_missing', message);
  }
  if (deprecation !== null && Date.parse(deprecation.sunset) <= Date.now()) {
    const { sunset, successor } = deprecation;
    const message = `This operation was removed on ${sunset.slice(0, 10)}. Use ${successor} instead.`;
    throw new Refusal('operation_removed', message);
  }
}

/** Only an operation that documents 406 refuses an `Accept` header that names none of its media types. */
function checkAccept(contract: MockedContract, id: string, { headers }: Request): void {
  if (!operationOf(contract, id).negotiates) return;
  if (acceptedExamples(exampleReply(contract, id), headers.get('Accept')).length > 0) return;
  throw new Refusal(
    'not_acceptable',
    'This operation cannot respond with any of the media types in Accept. Omit the header.',
  );
}

/** The body of a refusal, and the headers that differ from those of the example. */
function refusalReply(contract: MockedContract, id: string, { code, message, parts }: Refusal): GivenReply {
  const status = contract.errorStatus[code] ?? 500;
  const { headers, details } = parts;
  const more = details === undefined ? {} : { details };
  if (contract.errorForm !== 'problem') return { status, body: { code, message, status, ...more }, headers };
  const examples = Object.values(replyOf(contract.replyExamples[id] ?? {}, status)?.bodies ?? {});
  const { type = 'about:blank', title = code } = Object(examples.find((example) => Object(example).code === code));
  return { status, body: { type, title, status, detail: message, code, ...more }, headers };
}

/** The window with fewer requests left is the one in the headers. */
function withQuota(reply: GivenReply, { minute, day }: QuotaState): GivenReply {
  if (minute.limit === Infinity) return reply;
  const { limit, remaining, reset } = day.remaining < minute.remaining ? day : minute;
  const headers = {
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': `${Math.max(0, remaining)}`,
    'X-RateLimit-Reset': `${reset}`,
  };
  return { ...reply, headers: { ...headers, ...reply.headers } };
}
