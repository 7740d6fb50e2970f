import type { DataTag, InfiniteData, QueryFunctionContext } from '@tanstack/react-query';
import type { CallOptions } from '../methods.ts';
import { type Caller, initOf, type RequestFacts, send } from '../operations/call.ts';
import { nextQueryOf } from '../paginate.ts';
import { type Result, requestIdOf, unwrap } from '../unwrap.ts';
import type { AnimalStoreError } from './errors.ts';
import { createIntents } from './intents.ts';

/** The key of a query: its method, its path, and the parameters as `store.GET` takes them. */
export type Key = readonly ['get', string, ...unknown[]];

/** Absent at runtime: react-query infers the type of the error from it. */
type Throws = { throwOnError?: (error: AnimalStoreError) => boolean };

/** The options of a query, for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and others. The key has the type of the data. */
export type QueryOptions<Data> = {
  queryKey: DataTag<Key, Data, AnimalStoreError>;
  queryFn: (context: Pick<QueryFunctionContext, 'signal'>) => Promise<Data>;
  /** The client has already retried. */
  retry: false;
} & Throws;

/** A page in the cache; `next` is the query string of the next page, and undefined on the last page. */
export type ListPage<Item> = { items: Item[]; next: string | undefined };

/**
 * The options of an infinite query, for `useInfiniteQuery`, `useSuspenseInfiniteQuery`, `prefetchInfiniteQuery` and others. Its data is
 * one array with the items of all pages so far. A custom `select` receives the pages.
 */
export type InfiniteOptions<Item, Data = Item[]> = {
  queryKey: DataTag<Key, InfiniteData<ListPage<Item>, string>, AnimalStoreError>;
  queryFn: (context: { pageParam: string; signal: AbortSignal }) => Promise<ListPage<Item>>;
  initialPageParam: string;
  getNextPageParam: (page: ListPage<Item>) => string | undefined;
  select: (data: InfiniteData<ListPage<Item>, string>) => Data;
  retry: false;
} & Throws;

/** The options of `useMutation`. Its variables are the parameters of the operation. */
export type MutationOptions<Params, Data> = {
  mutationKey: readonly [method: string, path: string];
  mutationFn: (params: Params) => Promise<Data>;
  retry: false;
} & Throws;

/** The data of a response, with what its headers say. It is plain data, so that a server can send the cache to a browser. */
export type DataWithHeaders<Data> = {
  data: Data;
  status: number;
  /** By their names in lower case: `etag`, `x-request-id`. */
  headers: Readonly<Record<string, string>>;
  requestId: string | undefined;
};

/** The options of the calls of a query or a mutation. react-query passes the `signal` of a query. */
export type QueryCallOptions = Omit<CallOptions, 'signal' | 'idempotencyKey'>;
export type MutationCallOptions = Omit<CallOptions, 'signal'>;

type Arguments<Params> =
  Record<never, never> extends Params
    ? [params?: Params, options?: QueryCallOptions]
    : [params: Params, options?: QueryCallOptions];

/** react-query does not accept undefined. */
export type NullOf<Data> = Data extends undefined ? null : Data;

/** The options of a query, by its parameters. */
export type Query<Params, Data> = {
  (...args: Arguments<Params>): QueryOptions<NullOf<Data>>;
  /** The same with the headers of the response, such as the `ETag`. It has a separate cache entry. */
  withHeaders(...args: Arguments<Params>): QueryOptions<DataWithHeaders<NullOf<Data>>>;
};

/** The options of a list: `list()` is one page, and `list.infinite()` loads the pages one by one. */
export type ListQuery<Params, Item> = Query<Params, Item[]> & {
  infinite(...args: Arguments<Params>): InfiniteOptions<Item>;
};

/**
 * The options of a mutation. Calls with the same parameters send the same `Idempotency-Key` until one of them succeeds, so that a retry
 * or a repeated click has no second effect. To decide yourself, pass an `idempotencyKey` for each change.
 */
export type Mutation<Params, Data> = {
  (options?: MutationCallOptions): MutationOptions<Params, NullOf<Data>>;
  /** The same with the headers of the response, such as the `ETag`. */
  withHeaders(options?: MutationCallOptions): MutationOptions<Params, DataWithHeaders<NullOf<Data>>>;
};

type Load<Data> = (signal: AbortSignal | undefined) => Promise<Result<Data>>;

export function query<Params, Data>(store: Caller, facts: RequestFacts): Query<Params, Data> {
  const load =
    (params?: Params, options?: QueryCallOptions): Load<Data> =>
    (signal) =>
      send(store, facts, params ?? {}, withSignal(options, signal));
  return Object.assign(
    (params?: Params, options?: QueryCallOptions) => queryOf(keyOf(facts, params ?? {}), load(params, options)),
    {
      withHeaders: (params?: Params, options?: QueryCallOptions) =>
        queryWithHeaders(keyOf(facts, params ?? {}), load(params, options)),
    },
  );
}

export function listQuery<Params, Item>(store: Caller, facts: RequestFacts): ListQuery<Params, Item> {
  return Object.assign(query<Params, Item[]>(store, facts), {
    infinite: (params?: Params, options?: QueryCallOptions) =>
      infiniteOf<Item>(keyOf(facts, params ?? {}), (signal, next) =>
        send(store, facts, params ?? {}, withSignal(options, signal), next),
      ),
  });
}

function withSignal(options: QueryCallOptions | undefined, signal: AbortSignal | undefined): CallOptions {
  return signal ? { ...options, signal } : { ...options };
}

export function mutation<Params extends object, Data>(store: Caller, facts: RequestFacts): Mutation<Params, Data> {
  const { method, path } = facts;
  const intents = createIntents(method, path);
  const optionsOf = <Out>(read: (result: Result<Data>) => Promise<Out>, options: MutationCallOptions = {}) => ({
    mutationKey: [method, path] as const,
    mutationFn: async (params: Params) =>
      read(await intents<Data>(params, options, (all) => send<Data>(store, facts, params, all))),
    retry: false as const,
  });
  return Object.assign((options?: MutationCallOptions) => optionsOf(dataOf, options), {
    withHeaders: (options?: MutationCallOptions) => optionsOf(withHeadersOf, options),
  });
}

function keyOf(facts: RequestFacts, params: object): Key {
  const init = initOf(facts, params);
  return Object.keys(init).length === 0 ? ['get', facts.path] : ['get', facts.path, init];
}

/** The options of a query with this key. */
export function queryOf<Data>(queryKey: Key, load: Load<Data>): QueryOptions<NullOf<Data>> {
  return {
    queryKey: queryKey as QueryOptions<NullOf<Data>>['queryKey'],
    queryFn: async ({ signal }) => dataOf(await load(signal)),
    retry: false,
  };
}

function queryWithHeaders<Data>(key: Key, load: Load<Data>): QueryOptions<DataWithHeaders<NullOf<Data>>> {
  const queryKey = key.length === 2 ? [...key, {}, 'headers'] : [...key, 'headers'];
  return {
    queryKey: queryKey as unknown as QueryOptions<DataWithHeaders<NullOf<Data>>>['queryKey'],
    queryFn: async ({ signal }) => withHeadersOf(await load(signal)),
    retry: false,
  };
}

/** The options of an infinite query. `load` requests a page by its query string. */
export function infiniteOf<Item>(
  [method, path, init = {}]: Key,
  load: (signal: AbortSignal, next: { querySerializer?: () => string }) => Promise<Result<Item[]>>,
): InfiniteOptions<Item> {
  // A plain query of the same list has other data.
  const queryKey: Key = [method, path, init, 'pages'];
  return {
    queryKey: queryKey as InfiniteOptions<Item>['queryKey'],
    queryFn: async ({ pageParam, signal }) => {
      const result = await load(signal, pageParam === '' ? {} : { querySerializer: () => pageParam });
      return { items: await unwrap(result), next: nextQueryOf(result.response) };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    retry: false,
  };
}

/** The data of a result, or its error as an exception. */
export async function dataOf<Data>(result: Result<Data>): Promise<NullOf<Data>> {
  return ((await unwrap(result)) ?? null) as NullOf<Data>;
}

async function withHeadersOf<Data>(result: Result<Data>): Promise<DataWithHeaders<NullOf<Data>>> {
  const { status, headers } = result.response;
  const requestId = requestIdOf(result.response);
  return { data: await dataOf(result), status, headers: Object.fromEntries(headers), requestId };
}
