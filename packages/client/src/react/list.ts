import type { paths } from '@animal-store/contract';
import {
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { type ListInit, type ListItem, type ListPath, type ListRest, nextQueryOf } from '../paginate.ts';
import { type Result, unwrap } from '../unwrap.ts';
import { type Callable, callOf } from './calls.ts';
import type { AnimalStoreError } from './errors.ts';

/** A page as react-query keeps it; `next` is the query of the page after it, undefined on the last one. */
export type ListPage<Item> = { items: Item[]; next: string | undefined };

type Options<Item> = UseInfiniteQueryOptions<ListPage<Item>, AnimalStoreError, Item[], readonly unknown[], string>;

/** What `useInfiniteQuery` takes of react-query: `staleTime`, `enabled`, ... */
export type ListOptions<Item> = Omit<
  Options<Item>,
  'queryKey' | 'queryFn' | 'initialPageParam' | 'getNextPageParam' | 'select'
>;

type Given<Path extends ListPath<Paths>, Paths extends object, Then extends unknown[] = []> =
  ListRest<Path, Paths> extends [init: infer Init]
    ? [method: 'get', path: Path, init: Init, ...then: Partial<Then>]
    : [method: 'get', path: Path, init?: ListInit<Path, Paths>, ...then: Partial<Then>];

export type ListHooks<Paths extends object = paths> = {
  /** All entries of a list as far as its pages are loaded, in one array; `fetchNextPage` goes on by the `Link` header. */
  useInfiniteQuery: <Path extends ListPath<Paths>>(
    ...given: Given<Path, Paths, [options: ListOptions<ListItem<Path, Paths>>, queryClient: QueryClient]>
  ) => UseInfiniteQueryResult<ListItem<Path, Paths>[], AnimalStoreError>;
  /** The same for `prefetchInfiniteQuery` and its like. */
  infiniteQueryOptions: <Path extends ListPath<Paths>>(...given: Given<Path, Paths>) => Options<ListItem<Path, Paths>>;
};

/** Hooks of our own for lists: those of openapi-react-query see no headers, and share a key with plain queries. */
export function listHooks<Paths extends object>(store: Callable): ListHooks<Paths> {
  const get = callOf(store, 'GET');
  function infiniteQueryOptions<Item>(method: 'get', path: string, init: object = {}): Options<Item> {
    return {
      queryKey: [method, path, init, 'pages'],
      queryFn: async ({ pageParam, signal }) => {
        const next = pageParam === '' ? {} : { querySerializer: () => pageParam };
        const result = (await get(path, { signal, ...init, ...next })) as Result<Item[]>;
        return { items: await unwrap(result), next: nextQueryOf(result.response) };
      },
      initialPageParam: '',
      getNextPageParam: ({ next }) => next,
      select: allItems,
      // The client has already retried.
      retry: false,
    };
  }
  const hooks = {
    infiniteQueryOptions,
    useInfiniteQuery: <Item>(
      method: 'get',
      path: string,
      init?: object,
      options?: ListOptions<Item>,
      queryClient?: QueryClient,
    ) => useInfiniteQuery({ ...infiniteQueryOptions<Item>(method, path, init), ...options }, queryClient),
  };
  // They accept any path; `ListHooks` allows only lists, and has the types of their entries.
  return hooks as unknown as ListHooks<Paths>;
}

function allItems<Item>({ pages }: InfiniteData<ListPage<Item>>): Item[] {
  return pages.flatMap(({ items }) => items);
}
