import { type HttpHandler, http, delay as wait } from 'msw';
import { resetMocked } from '../sending/mocked.ts';
import { type AnyResolver, type MockedContract, Refusal } from './contract.ts';
import type { Mocked, MockedStatus, MockReply, MockResolver, MockResolvers, MockTiming } from './documented.ts';
import { readRequest } from './read-request.ts';
import { respond, type Sent, successOf } from './respond.ts';

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

export type MockOptions = {
  /** The same `baseUrl` as that of the client. */
  baseUrl: string;
  /** Milliseconds before each response. */
  delay?: number;
};

/** The mocks of a contract, given its examples and types. */
export type Mocks<Examples, Types> = {
  /** One per operation: validates the request, and responds with the content of the mocked store. */
  handlers: HttpHandler[];
  /**
   * A handler that makes an operation respond with a documented status: `server.use(mocks.reply('getKey', 401))`.
   * Statuses and examples that the contract does not have do not compile.
   */
  reply: <Id extends Mocked<Examples, Types>, Status extends MockedStatus<Id, Examples, Types>>(
    id: Id,
    status: Status,
    given?: MockReply<Id, Status, Examples, Types>,
  ) => HttpHandler;
  /**
   * A handler that computes the response of an operation to a valid request:
   * `server.use(mocks.resolve('getNote', ({ path }) => ({ status: 200, body: { ...note, id: path.noteId } })))`.
   */
  resolve: <Id extends Mocked<Examples, Types>>(
    id: Id,
    resolver: NoInfer<MockResolver<Id, Examples, Types>>,
    timing?: MockTiming,
  ) => HttpHandler;
  /** Resets the content of the store, and what clients know of the quota. */
  reset: () => void;
};

/** The mocks of a contract, with a store. */
export function createMocks<Examples, Types, Data>(
  contract: MockedContract,
  { baseUrl, delay = 0 }: MockOptions,
  store: MockStore<Data, MockResolvers<Examples, Types>>,
): Mocks<Examples, Types> & { readonly data: Data } {
  resetMocked();
  const base = baseUrl.replace(/\/$/, '');
  const resolvers: Readonly<Record<string, AnyResolver | undefined>> = store.resolvers;

  /** Validates a request as the API does. Then `resolver` computes the response, or else that of the operation. */
  async function handle(sent: Sent, resolver?: AnyResolver): Promise<Response> {
    const { id, request } = sent;
    try {
      const call = { ...(await readRequest(contract, sent)), request };
      store.refresh();
      const reply = (await resolver?.(call)) ?? (await resolvers[id]?.(call));
      return respond(contract, sent, reply ?? { status: successOf(contract, id) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, details } = error;
      const status = contract.errorStatus[code] ?? 500;
      return respond(contract, sent, { status, body: { code, message, status, details } });
    }
  }

  return {
    handlers: Object.keys(contract.operations).map((id) => handlerOf(contract, base, id, handle, { delay })),
    reply(id, status, { delay: own = delay, once = false, ...given } = {}) {
      const { bodies } = contract.replyExamples[id]?.[status] ?? {};
      if (bodies === undefined) throw new TypeError(`The contract does not document ${status} for ${id}.`);
      if (given.example !== undefined && !(given.example in bodies)) {
        const names = Object.keys(bodies).join(', ');
        throw new TypeError(`The contract has no example ${given.example} for ${id} ${status}. It has ${names}.`);
      }
      const timing = { delay: own, once };
      return handlerOf(contract, base, id, (sent) => respond(contract, sent, { status, ...given }), timing);
    },
    resolve: (id, resolver, timing) =>
      handlerOf(contract, base, id, (sent) => handle(sent, resolver), { delay, ...timing }),
    reset() {
      store.reset();
      resetMocked();
    },
    get data() {
      store.refresh();
      return store.data;
    },
  };
}

function handlerOf(
  contract: MockedContract,
  base: string,
  id: string,
  respond: (sent: Sent) => Promise<Response> | Response,
  { delay = 0, once = false }: MockTiming,
): HttpHandler {
  const { method = '', path = '' } = contract.operations[id] ?? {};
  const register = new Map(Object.entries(http)).get(method.toLowerCase());
  if (register === undefined) throw new TypeError(`The mocks do not support the method ${method}.`);
  // msw reads no names such as note-id.
  const names: string[] = [];
  const pattern = `${base}${path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `:p${names.push(name)}`)}`;
  const answer = async ({ request, params }: { request: Request; params: Readonly<Record<string, unknown>> }) => {
    if (delay !== 0) await wait(delay);
    const values = names.map((name, index) => [name, params[`p${index + 1}`]]);
    return respond({ id, request, path: Object.fromEntries(values) });
  };
  return register(pattern, answer, { once });
}
