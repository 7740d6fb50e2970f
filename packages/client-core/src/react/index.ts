/** Hooks of react-query for the operations of any contract. */
import {
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Client, ClientFacts } from '../client.ts';
import type { CallError } from '../errors.ts';
import type { RateLimit } from '../headers/rate-limit.ts';
import type { PagerOf } from '../operations/index.ts';
import { linkPager, type OnlyLinks } from '../paginate.ts';
import type { PagingTable } from '../paging.ts';
import { dataOf, infiniteOf, queryOf } from '../queries/index.ts';
import { createIntents, type Intents } from '../queries/intents.ts';
import type { Result } from '../unwrap.ts';
import type { ListHooks, QueryHooks } from './hooks.ts';

export { pagerOf } from '../paging.ts';
export type { ListHooks, ListOptions, QueryHooks } from './hooks.ts';

/** The hooks of react-query for the operations of a contract, and the quota. */
export type Hooks<Paths extends object, Failures = CallError, Table extends PagingTable = OnlyLinks> = QueryHooks<
  Paths,
  Failures
> &
  ListHooks<Paths, Failures, Table> & {
    /** The quota according to the last response; undefined before the first one. */
    useRateLimit: () => RateLimit | undefined;
  };

/** What the hooks need of the contract. Pass `pagerOf` of this module with `paging`: contracts without it do not need its code. */
export type HookFacts<Table extends PagingTable> = Pick<ClientFacts, 'idempotentOperations'> &
  (
    | { paging?: undefined; pagerOf?: undefined }
    /** How lists continue that are not JSON arrays with a `Link` header. */
    | { paging: Table; pagerOf: PagerOf }
  );

/** A call without the types of the paths, for code that serves all of them. */
type AnyClient = { request: (method: string, path: string, init: object) => Promise<Result<unknown>> };
type Init = { params?: unknown; body?: unknown; idempotencyKey?: unknown };
type Options = { select?: (items: unknown[]) => unknown };

/**
 * Hooks for one client. Create them once, together with the client. They fail with an ApiError, a RateLimitError or a NetworkError, and
 * leave retries to the client: those of react-query are off.
 *
 * Cached data belongs to the API key: give each client its own `QueryClient`.
 */
export function createHooks<Paths extends object, Failures = CallError, const Table extends PagingTable = OnlyLinks>(
  client: Client<Paths, unknown>,
  { idempotentOperations, paging, pagerOf: readerOf }: HookFacts<Table>,
): Hooks<Paths, Failures, Table> {
  const { request } = client as unknown as AnyClient;
  const intents = new Map<string, Intents>();

  /** Calls with the same parameters and body send the same Idempotency-Key until one of them succeeds. */
  async function mutate(method: string, path: string, init: Init): Promise<unknown> {
    const operation = `${method.toUpperCase()} ${path}`;
    const run = intents.get(operation) ?? createIntents(operation, idempotentOperations.includes(operation));
    intents.set(operation, run);
    const { params, body, idempotencyKey } = init;
    return dataOf(
      await run({ params, body, idempotencyKey }, {}, (options) => request(method, path, { ...init, ...options })),
    );
  }

  function queryOptions(_method: 'get', path: string, init?: object, options?: object) {
    const query = queryOf(init === undefined ? ['get', path] : ['get', path, init], (signal) =>
      request('get', path, { signal, ...init }),
    );
    return { ...query, ...options };
  }

  function infiniteQueryOptions(_method: 'get', path: string, init: object = {}, { select, ...options }: Options = {}) {
    const list = paging?.[path];
    const pager = list && readerOf ? readerOf(list) : linkPager;
    const query = infiniteOf(['get', path, init], (signal, page) => request('get', path, { signal, ...page }), pager);
    const { select: allItems } = query;
    const selected =
      select === undefined ? {} : { select: (data: Parameters<typeof allItems>[0]) => select(allItems(data)) };
    return { ...query, ...options, ...selected };
  }

  type QueryArguments = [...Parameters<typeof queryOptions>, queryClient?: QueryClient];
  type ListArguments = [...Parameters<typeof infiniteQueryOptions>, queryClient?: QueryClient];

  const hooks = {
    queryOptions,
    infiniteQueryOptions,
    useQuery: (...[method, path, init, options, client]: QueryArguments) =>
      useQuery(queryOptions(method, path, init, options), client),
    useSuspenseQuery: (...[method, path, init, options, client]: QueryArguments) =>
      useSuspenseQuery(queryOptions(method, path, init, options), client),
    useInfiniteQuery: (...[method, path, init, options, client]: ListArguments) =>
      useInfiniteQuery(infiniteQueryOptions(method, path, init, options), client),
    useSuspenseInfiniteQuery: (...[method, path, init, options, client]: ListArguments) =>
      useSuspenseInfiniteQuery(infiniteQueryOptions(method, path, init, options), client),
    useMutation: (method: string, path: string, options?: object, client?: QueryClient) =>
      useMutation(
        {
          mutationKey: [method, path],
          mutationFn: (init: Init) => mutate(method, path, init),
          retry: false,
          ...options,
        },
        client,
      ),
    useRateLimit: rateLimitHook(client),
  };
  // They accept any path; their types allow only those of the contract, and have the types of the data.
  return hooks as unknown as Hooks<Paths, Failures, Table>;
}

/** A hook that returns the quota according to the last response, and renders again with each response. */
function rateLimitHook(client: Pick<Client<object>, 'use' | 'rateLimit'>): () => RateLimit | undefined {
  const listeners = new Set<() => void>();
  client.use({
    onResponse() {
      for (const listener of listeners) listener();
    },
  });
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const now = () => client.rateLimit;
  return () => useSyncExternalStore(subscribe, now, now);
}

/**
 * Marks the data of these paths, and of the paths below them, as out of date. react-query then fetches what is on screen again. For
 * `onSuccess` of a mutation: `invalidate(queryClient, '/notes')` covers the list of notes and each note.
 */
export async function invalidate<Paths extends object>(
  queryClient: QueryClient,
  ...changed: (keyof Paths)[]
): Promise<void> {
  try {
    // Bundlers that set `NODE_ENV` to `production` leave this out.
    if (process.env.NODE_ENV === 'development') reportUncached(queryClient, changed.map(String));
  } catch {
    // Browsers have no `process` without a bundler.
  }
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => changed.some((one) => isAtOrBelow(queryKey, String(one))),
  });
}

declare const process: { env: { NODE_ENV?: string } };

function isAtOrBelow([method, path]: QueryKey, changed: string): boolean {
  return method === 'get' && (path === changed || `${path}`.startsWith(`${changed}/`));
}

/** A misspelled path, or `/notes/7` in place of `/notes/{noteId}`, looks like one whose data is not in the cache. */
function reportUncached(queryClient: QueryClient, changed: readonly string[]): void {
  const keys = queryClient.getQueryCache().getAll();
  const cached = [...new Set(keys.flatMap(({ queryKey: [method, path] }) => (method === 'get' ? [String(path)] : [])))];
  for (const path of changed) {
    if (cached.length === 0 || keys.some(({ queryKey }) => isAtOrBelow(queryKey, path))) continue;
    console.info(`invalidate: the cache has no data of ${path}. It has data of ${cached.join(', ')}.`);
  }
}
