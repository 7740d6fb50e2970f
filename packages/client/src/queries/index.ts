/** The options of react-query for each operation. They need no React, so that a server can use them, too. */
import { type Mutations, namedMutations, namedQueries, type Queries } from '../generated/queries.ts';
import type { Caller } from '../operations/call.ts';

export type { Mutations, Queries } from '../generated/queries.ts';
export type { AnimalStoreError } from './errors.ts';
export type {
  DataWithHeaders,
  InfiniteOptions,
  ListPage,
  ListQuery,
  Mutation,
  MutationCallOptions,
  MutationOptions,
  NullOf,
  Query,
  QueryCallOptions,
  QueryOptions,
} from './options.ts';

/** The options of react-query for one client: `useQuery(queries.pets.list({ status: 'available' }))`. */
export type AnimalStoreQueries = { readonly queries: Queries; readonly mutations: Mutations };

/**
 * The options of react-query for the operations of a client. Create them once, together with the client. Their keys have the types of
 * the data: `queryClient.getQueryData(queries.pets.list().queryKey)`.
 */
export function createAnimalStoreQueries(store: Caller): AnimalStoreQueries {
  return { queries: namedQueries(store), mutations: namedMutations(store) };
}
