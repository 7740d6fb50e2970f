import { type AnyCall, type AnyResolver, type GivenReply, type MockedContract, Refusal } from './contract.ts';
import { readRequest } from './read-request.ts';
import { exampleReply, replyOf, respond } from './respond.ts';

/** The state that the handlers of a contract share. */
export type MockParts = {
  contract: MockedContract;
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
 * Validates a request as the API does. Then `resolver` computes the response; if it returns undefined, the resolver of the operation
 * does.
 */
export async function handle({ contract, store }: MockParts, sent: Sent, resolver?: AnyResolver): Promise<Response> {
  const { id, request, path } = sent;
  try {
    const input = await readRequest(contract, id, request.clone(), path);
    const call: AnyCall = { ...input, request };
    store.refresh();
    const reply = (await resolver?.(call)) ?? (await store.resolvers[id]?.(call));
    return respond(contract, sent, reply ?? { status: exampleReply(contract, id).status });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return respond(contract, sent, refusalReply(contract, id, error));
  }
}

/** The body of a refusal. */
function refusalReply(contract: MockedContract, id: string, { code, message, details }: Refusal): GivenReply {
  const status = contract.errorStatus[code] ?? 500;
  const more = details === undefined ? {} : { details };
  if (contract.errorForm !== 'problem') return { status, body: { code, message, status, ...more } };
  const examples = Object.values(replyOf(contract.replyExamples[id] ?? {}, status)?.bodies ?? {});
  const { type = 'about:blank', title = code } = Object(examples.find((example) => Object(example).code === code));
  return { status, body: { type, title, status, detail: message, code, ...more } };
}
