/** The options of react-query for the operations of any contract. They need no React, so that a server can use them, too. */
export {
  type DataWithHeaders,
  type Infinite,
  type InfiniteOptions,
  type ListPage,
  listQuery,
  type Mutation,
  type MutationCallOptions,
  type MutationOptions,
  mutation,
  type NullOf,
  type Query,
  type QueryCallOptions,
  type QueryError,
  type QueryOptions,
  query,
} from './options.ts';
