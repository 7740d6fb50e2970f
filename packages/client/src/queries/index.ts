/** The options of react-query for each operation. They need no React, so that a server can use them, too. */
import type { NetworkError } from '@contract-first/client';
import type * as core from '@contract-first/client/queries';
import type { Caller } from '../animal-store.ts';
import type { ApiError } from '../errors.ts';
import { type Mutations, namedMutations, namedQueries, type Queries } from '../generated/queries.ts';

export type {
  DataWithHeaders,
  ListPage,
  ListQuery,
  Mutation,
  MutationCallOptions,
  NullOf,
  Query,
  QueryCallOptions,
  QueryError,
} from '@contract-first/client/queries';
export type { Mutations, Queries } from '../generated/queries.ts';

/** Why a query or a mutation failed: the API returned an error, which may be a RateLimitError, or there was no response. */
export type AnimalStoreError = ApiError | NetworkError;

/** The options of a query, for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and others. The key has the type of the data. */
type AnyQuery<Data> = core.QueryOptions<Data, AnimalStoreError>;

/** The options of `useInfiniteQuery` and others: the data is one array with all items so far. A custom `select` receives the pages. */
type AnyInfinite<Item, Data = Item[]> = core.InfiniteOptions<Item, Data, AnimalStoreError>;

/** The options of `useMutation`. Its variables are the parameters of the operation. */
type AnyMutation<Params, Data> = core.MutationOptions<Params, Data, AnimalStoreError>;

export type { AnyInfinite as InfiniteOptions, AnyMutation as MutationOptions, AnyQuery as QueryOptions };

/** The options of react-query for one client: `useQuery(queries.pets.list({ status: 'available' }))`. */
export type AnimalStoreQueries = { readonly queries: Queries; readonly mutations: Mutations };

/**
 * The options of react-query for the operations of a client. Create them once, together with the client. Their keys have the types of
 * the data: `queryClient.getQueryData(queries.pets.list().queryKey)`.
 */
export function createAnimalStoreQueries(store: Caller): AnimalStoreQueries {
  return { queries: namedQueries(store), mutations: namedMutations(store) };
}
