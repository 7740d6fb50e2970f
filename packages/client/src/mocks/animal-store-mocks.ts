import { anonymousLimits, basePath, errorStatus, operations, plans } from '@animal-store/contract';
import { replyExamples } from '@animal-store/contract/examples';
import { definitions, requestSchemas } from '@animal-store/contract/requests';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { resetMocked } from '../sending/mocked.ts';
import type { GivenReply, MockedContract } from './contract.ts';
import type {
  Mocked,
  MockedStatus,
  MockReply,
  MockResolver,
  MockResolvers,
  MockTiming,
  StoreExamples,
  StoreTypes,
} from './documented.ts';
import { handle, type Mocks, type Sent } from './handle.ts';
import { exampleReply, respond } from './respond.ts';
import { createState, type MockQuota } from './state.ts';
import { createMockStore, type MockData } from './store.ts';

export type MockOptions = {
  /** The same `baseUrl` as that of `createAnimalStore`. */
  baseUrl: string;
  /** Requests per minute and day, after which the mocks respond with 429. By default there is no limit. */
  quota?: MockQuota;
  /** Milliseconds before each response. */
  delay?: number;
};

export type AnimalStoreMocks<Examples = StoreExamples, Types = StoreTypes> = {
  /** One per operation: validates the request, and responds with the content of the mocked store. */
  handlers: HttpHandler[];
  /**
   * A handler that makes an operation respond with a documented status: `server.use(mocks.reply('createPet', 400))`.
   * Statuses and examples that the contract does not have do not compile.
   */
  reply: <Id extends Mocked<Examples, Types>, Status extends MockedStatus<Id, Examples, Types>>(
    id: Id,
    status: Status,
    given?: MockReply<Id, Status, Examples, Types>,
  ) => HttpHandler;
  /**
   * A handler that computes the response of an operation to a valid request:
   * `server.use(mocks.resolve('getPet', ({ path }) => ({ status: 200, body: { ...rex, id: path.petId } })))`.
   */
  resolve: <Id extends Mocked<Examples, Types>>(
    id: Id,
    resolver: NoInfer<MockResolver<Id, Examples, Types>>,
    timing?: MockTiming,
  ) => HttpHandler;
  /** A handler that delays an operation by some milliseconds; with 'infinite', it never answers. */
  delay: (id: Mocked<Examples, Types>, delay: number | 'infinite', timing?: Pick<MockTiming, 'once'>) => HttpHandler;
  /**
   * A handler that breaks the connection instead of responding. With `acts`, only the response is lost: the operation has
   * changed the mocked store.
   */
  networkError: (id: Mocked<Examples, Types>, timing?: MockTiming & { acts?: boolean }) => HttpHandler;
  /** Resets the content of the store, the quota and the Idempotency-Keys, and what clients know of the quota. */
  reset: () => void;
};

/** The mocks of the Animal Store, with a store in memory. */
export type StoreMocks = AnimalStoreMocks & {
  /** The current content of the store. */
  readonly data: MockData;
};

/**
 * MSW handlers for every operation of the contract, with a store in memory.
 *
 * @param options `data` is the initial content of the store
 */
export function animalStoreMocks({ data, ...options }: MockOptions & { data?: Partial<MockData> }): StoreMocks {
  const store = createMockStore(data);
  const mocks = mocksOf<StoreExamples, StoreTypes>(storeContract, options, store.resolvers, store.refresh);
  return {
    ...mocks,
    reset() {
      mocks.reset();
      store.reset();
    },
    get data() {
      store.refresh();
      return store.data;
    },
  };
}

export const storeContract: MockedContract = {
  basePath,
  operations,
  replyExamples,
  requestSchemas,
  definitions,
  errorStatus,
  plans,
  anonymousLimits,
};

/** The mocks of any contract. An operation without a resolver returns the example of its success. `refresh` runs before each operation. */
export function mocksOf<Examples, Types>(
  contract: MockedContract,
  { baseUrl, quota, delay = 0 }: MockOptions,
  resolvers: MockResolvers<Examples, Types> = {},
  refresh: () => void = () => {},
): AnimalStoreMocks<Examples, Types> {
  const state = createState(contract, quota);
  resetMocked();
  const mocks: Mocks = { contract, state, resolvers, refresh };
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
    networkError(id, { acts = false, ...timing } = {}) {
      const fail = async (sent: Sent) => {
        if (acts) await handle(mocks, sent);
        return HttpResponse.error();
      };
      return handler(id, fail, timing);
    },
    reset() {
      state.reset();
      resetMocked();
    },
  };
}

/** A handler for any operation, status and example. `AnimalStoreMocks` has the typed version. */
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
  const register = registers[method];
  if (register === undefined) throw new TypeError(`The mocks do not support the method ${method}.`);
  const pattern = `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const answer = async ({ request, params }: { request: Request; params: Readonly<Record<string, unknown>> }) => {
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return respond({ id, request, path: params });
  };
  return register(pattern, answer, { once });
}

const registers: Readonly<Record<string, typeof http.get>> = {
  GET: http.get,
  PUT: http.put,
  POST: http.post,
  PATCH: http.patch,
  DELETE: http.delete,
};
