/** The options of react-query for the operations of any contract. They need no React, so that a server can use them, too. */
import type { DataTag, InfiniteData, QueryFunctionContext } from '@tanstack/react-query';
import type { CallError, NetworkError, Thrown } from '../errors.ts';
import type { CallOptions } from '../methods.ts';
import { type Caller, initOf, type PagerOf, pagerFor, type RequestFacts, send } from '../operations/index.ts';
import { cameTwice } from '../paging.ts';
import { type Result, requestIdOf, unwrap } from '../unwrap.ts';
import { createIntents } from './intents.ts';

export { pagerOf } from '../paging.ts';

/**
 * Why a query or a mutation failed: the API returned an error, which may be a RateLimitError, or there was no response.
 * `Failure` is the `error` of the operation.
 */
export type QueryError<Failure = CallError> = Thrown<Failure> | NetworkError;

/** The key of a query: its method, its path, and the parameters as `GET` takes them. */
export type Key = readonly ['get', string, ...unknown[]];

/** Absent at runtime: react-query infers the type of the error from it. As a method, so that options fit where all errors may occur. */
type Throws<Failure> = { throwOnError?(error: Failure): boolean };

/** The options of a query, for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and others. The key has the type of the data. */
export type QueryOptions<Data, Failure = QueryError> = {
  queryKey: DataTag<Key, Data, Failure>;
  queryFn: (context: Pick<QueryFunctionContext, 'signal'>) => Promise<Data>;
  /** The client has already retried. */
  retry: false;
} & Throws<Failure>;

/** A page in the cache; `next` is what requests the next page, and undefined on the last page. */
export type ListPage<Item> = { items: Item[]; next: string | undefined };

/**
 * The options of an infinite query, for `useInfiniteQuery`, `useSuspenseInfiniteQuery`, `prefetchInfiniteQuery` and others. Its data is
 * one array with the items of all pages so far. A custom `select` receives the pages.
 */
export type InfiniteOptions<Item, Data = Item[], Failure = QueryError> = {
  queryKey: DataTag<Key, InfiniteData<ListPage<Item>, string>, Failure>;
  queryFn: (context: { pageParam: string; signal: AbortSignal }) => Promise<ListPage<Item>>;
  initialPageParam: string;
  getNextPageParam: (page: ListPage<Item>) => string | undefined;
  select: (data: InfiniteData<ListPage<Item>, string>) => Data;
  retry: false;
} & Throws<Failure>;

/** The options of `useMutation`. Its variables are the parameters of the operation. */
export type MutationOptions<Params, Data, Failure = QueryError> = {
  mutationKey: readonly [method: string, path: string];
  mutationFn: (params: Params) => Promise<Data>;
  retry: false;
} & Throws<Failure>;

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
export type Query<Params, Data, Failure = QueryError> = {
  (...args: Arguments<Params>): QueryOptions<NullOf<Data>, Failure>;
  /** The same with the headers of the response, such as the `ETag`. It has a separate cache entry. */
  withHeaders(...args: Arguments<Params>): QueryOptions<DataWithHeaders<NullOf<Data>>, Failure>;
};

/** The options of a list: `list()` is one page, and `list.infinite()` loads the pages one by one. `Data` is the body of a page. */
export type ListQuery<Params, Item, Failure = QueryError, Data = Item[]> = Query<Params, Data, Failure> & {
  infinite(...args: Arguments<Params>): InfiniteOptions<Item, Item[], Failure>;
};

/**
 * The options of a mutation. Calls with the same parameters send the same `Idempotency-Key` until one of them succeeds, so that a retry
 * or a repeated click has no second effect. To decide yourself, pass an `idempotencyKey` for each change.
 */
export type Mutation<Params, Data, Failure = QueryError> = {
  (options?: MutationCallOptions): MutationOptions<Params, NullOf<Data>, Failure>;
  /** The same with the headers of the response, such as the `ETag`. */
  withHeaders(options?: MutationCallOptions): MutationOptions<Params, DataWithHeaders<NullOf<Data>>, Failure>;
};

type Load<Data> = (signal: AbortSignal | undefined) => Promise<Result<Data>>;

export function query<Params, Data, Failure>(client: Caller, facts: RequestFacts): Query<Params, Data, Failure> {
  const load =
    (params: Params | undefined, options: QueryCallOptions | undefined): Load<Data> =>
    (signal) =>
      send(client, facts, params ?? {}, { ...options, signal });
  return Object.assign(
    (params?: Params, options?: QueryCallOptions) =>
      optionsOf<Data, NullOf<Data>, Failure>(keyOf(facts, params ?? {}), load(params, options), dataOf),
    {
      withHeaders(params?: Params, options?: QueryCallOptions) {
        const [method, path, init = {}] = keyOf(facts, params ?? {});
        const key: Key = [method, path, init, 'headers'];
        return optionsOf<Data, DataWithHeaders<NullOf<Data>>, Failure>(key, load(params, options), withHeadersOf);
      },
    },
  );
}

/** @param readerOf `pagerOf` if the facts have `paging`: the other lists do not need its code */
export function listQuery<Params, Item, Failure, Data = Item[]>(
  client: Caller,
  facts: RequestFacts,
  readerOf?: PagerOf,
): ListQuery<Params, Item, Failure, Data> {
  const pager = pagerFor(facts, readerOf);
  return Object.assign(query<Params, Data, Failure>(client, facts), {
    infinite(params?: Params, options?: QueryCallOptions): InfiniteOptions<Item, Item[], Failure> {
      const [method, path, first = {}] = keyOf(facts, params ?? {});
      // A plain query of the same list has other data.
      const queryKey: Key = [method, path, first, 'pages'];
      return {
        queryKey: queryKey as InfiniteOptions<Item, Item[], Failure>['queryKey'],
        queryFn: async ({ pageParam, signal }) => {
          const init = pageParam === '' ? Object(first) : pager.at(Object(first), pageParam);
          const result = await send<unknown>(client, facts, params ?? {}, { ...options, signal }, init);
          const { items, next } = pager.read(await unwrap(result), result.response, init);
          if (next === pageParam) throw cameTwice(result.response);
          // The contract promises the type of the items.
          return { items: items as Item[], next };
        },
        initialPageParam: '',
        getNextPageParam: ({ next }) => next,
        select: ({ pages }) => pages.flatMap(({ items }) => items),
        retry: false,
      };
    },
  });
}

export function mutation<Params extends object, Data, Failure>(
  client: Caller,
  facts: RequestFacts,
): Mutation<Params, Data, Failure> {
  const { method, path, idempotent = false } = facts;
  const intents = createIntents(`${method} ${path}`, idempotent);
  const optionsOf = <Out>(read: (result: Result<Data>) => Promise<Out>, options: MutationCallOptions = {}) => ({
    mutationKey: [method, path] as const,
    mutationFn: async (params: Params) =>
      read(await intents<Data>(params, options, (all) => send<Data>(client, facts, params, all))),
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

function optionsOf<Data, Out, Failure>(
  queryKey: Key,
  load: Load<Data>,
  read: (result: Result<Data>) => Promise<Out>,
): QueryOptions<Out, Failure> {
  return {
    queryKey: queryKey as QueryOptions<Out, Failure>['queryKey'],
    queryFn: async ({ signal }) => read(await load(signal)),
    retry: false,
  };
}

/** The data of a result, or its error as an exception. */
async function dataOf<Data>(result: Result<Data>): Promise<NullOf<Data>> {
  return ((await unwrap(result)) ?? null) as NullOf<Data>;
}

async function withHeadersOf<Data>(result: Result<Data>): Promise<DataWithHeaders<NullOf<Data>>> {
  const { status, headers } = result.response;
  const requestId = requestIdOf(result.response);
  return { data: await dataOf(result), status, headers: Object.fromEntries(headers), requestId };
}
