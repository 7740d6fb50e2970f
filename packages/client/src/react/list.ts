import {
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { AnimalStore } from '../animal-store.ts';
import { type ListInit, type ListItem, type ListPath, nextQueryOf } from '../paginate.ts';
import { type Result, unwrap } from '../unwrap.ts';
import { callOf } from './calls.ts';
import type { AnimalStoreError } from './errors.ts';

/** A page as react-query keeps it; `next` is the query of the page after it, undefined on the last one. */
export type ListPage<Item> = { items: Item[]; next: string | undefined };

type Options<Item> = UseInfiniteQueryOptions<ListPage<Item>, AnimalStoreError, Item[], readonly unknown[], string>;

/** What `useInfiniteQuery` takes of react-query: `staleTime`, `enabled`, ... */
export type ListOptions<Item> = Omit<
  Options<Item>,
  'queryKey' | 'queryFn' | 'initialPageParam' | 'getNextPageParam' | 'select'
>;

type Given<Path extends ListPath> = [method: 'get', path: Path, init?: ListInit<Path>];

export type ListHooks = {
  /** All entries of a list as far as its pages are loaded, in one array; `fetchNextPage` goes on by the `Link` header. */
  useInfiniteQuery: <Path extends ListPath>(
    ...given: [...Given<Path>, options?: ListOptions<ListItem<Path>>, queryClient?: QueryClient]
  ) => UseInfiniteQueryResult<ListItem<Path>[], AnimalStoreError>;
  /** The same for `prefetchInfiniteQuery` and its like. */
  infiniteQueryOptions: <Path extends ListPath>(...given: Given<Path>) => Options<ListItem<Path>>;
};

/** Hooks of our own for lists: those of openapi-react-query see no headers, and share a key with plain queries. */
export function listHooks(store: AnimalStore): ListHooks {
  const get = callOf(store, 'GET');
  const infiniteQueryOptions: ListHooks['infiniteQueryOptions'] = <Path extends ListPath>(
    method: 'get',
    path: Path,
    init: ListInit<Path> = {},
  ): Options<ListItem<Path>> => ({
    queryKey: [method, path, init, 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const next = pageParam === '' ? {} : { querySerializer: () => pageParam };
      const result = (await get(path, { signal, ...init, ...next })) as Result<ListItem<Path>[]>;
      return { items: await unwrap(result), next: nextQueryOf(result.response) };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    select: allItems,
    // The client has tried again already.
    retry: false,
  });
  return {
    infiniteQueryOptions,
    useInfiniteQuery: (method, path, init, options, queryClient) =>
      useInfiniteQuery({ ...infiniteQueryOptions(method, path, init), ...options }, queryClient),
  };
}

function allItems<Item>({ pages }: InfiniteData<ListPage<Item>>): Item[] {
  return pages.flatMap(({ items }) => items);
}
