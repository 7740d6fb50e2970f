import { type HttpHandler, HttpResponse, http } from 'msw';
import { resetMocked } from '../sending/mocked.ts';
import type { GivenReply, MockedContract } from './contract.ts';
import type { Mocked, MockedStatus, MockReply, MockResolver, MockResolvers, MockTiming } from './documented.ts';
import { handle, type MockParts, type MockStore, type Sent } from './handle.ts';
import { exampleReply, respond } from './respond.ts';

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
  /** A handler that delays an operation by some milliseconds; with 'infinite', it never answers. */
  delay: (id: Mocked<Examples, Types>, delay: number | 'infinite', timing?: Pick<MockTiming, 'once'>) => HttpHandler;
  /** A handler that breaks the connection instead of responding. */
  networkError: (id: Mocked<Examples, Types>, timing?: MockTiming) => HttpHandler;
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
  const mocks: MockParts = { contract, store };
  const base = baseUrl.replace(/\/$/, '');
  const handler = (id: string, respond: (sent: Sent) => Promise<Response> | Response, timing: MockTiming = {}) =>
    handlerOf(contract, base, id, respond, { delay, ...timing });
  return {
    handlers: Object.keys(contract.operations).map((id) => handler(id, (sent) => handle(mocks, sent))),
    reply: (id, status, { delay: wait = delay, once = false, ...given } = {}) =>
      replyHandler(contract, base, id, { status, ...given }, { delay: wait, once }),
    resolve: (id, resolver, timing) => handler(id, (sent) => handle(mocks, sent, resolver), timing),
    delay: (id, wait, timing) =>
      wait === 'infinite'
        ? handler(id, () => new Promise<Response>(() => {}), timing)
        : handler(id, (sent) => handle(mocks, sent), { ...timing, delay: wait }),
    networkError: (id, timing) => handler(id, () => HttpResponse.error(), timing),
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

/** A handler for any operation, status and example. `Mocks` has the typed version. */
export function replyHandler(
  contract: MockedContract,
  base: string,
  id: string,
  given: GivenReply,
  timing: MockTiming = {},
): HttpHandler {
  exampleReply(contract, id, given.status, given.example);
  return handlerOf(contract, base, id, (sent) => respond(contract, sent, { ...given, isPaged: true }), timing);
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
  const pattern = `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const answer = async ({ request, params }: { request: Request; params: Readonly<Record<string, unknown>> }) => {
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return respond({ id, request, path: params });
  };
  return register(pattern, answer, { once });
}
