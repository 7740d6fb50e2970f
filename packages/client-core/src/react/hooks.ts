import type {
  QueryClient,
  QueryKey,
  UseInfiniteQueryOptions,
  UseInfiniteQueryResult,
  UseMutationOptions,
  UseMutationResult,
  UseQueryOptions,
  UseQueryResult,
  UseSuspenseInfiniteQueryResult,
  UseSuspenseQueryOptions,
  UseSuspenseQueryResult,
} from '@tanstack/react-query';
import type { CallError } from '../errors.ts';
import type { DataOf, Exact, FailureOf, InitOf, NameOf, OperationOf, PathWith, Verb } from '../methods.ts';
import type { ListInit, ListItem, ListPath, ListRest, OnlyLinks } from '../paginate.ts';
import type { PagingTable } from '../paging.ts';
import type { InfiniteOptions, ListPage, NullOf, QueryError, QueryOptions } from '../queries/index.ts';

/** The methods of mutations. */
export type MutationMethod = 'post' | 'put' | 'patch' | 'delete';

type InitFor<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>> = InitOf<
  OperationOf<Paths, Method, Path>
>;

/** The `data` of a hook: the data of the operation, or null if the response has no body. */
type Data<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>, Init> = NullOf<
  DataOf<OperationOf<Paths, Method, Path>, Init>
>;

/** The arguments after the path: parameters and body, which some operations need and others do not, then the options of a hook. */
type Rest<Init, Allowed, Options> = undefined extends Init
  ? [init?: Init & Exact<Init, NonNullable<Allowed>>, options?: Options, queryClient?: QueryClient]
  : [init: Init & Exact<Init, NonNullable<Allowed>>, options?: Options, queryClient?: QueryClient];

type Own = 'queryKey' | 'queryFn';
type Query<Given, Selected, Failure> = Omit<UseQueryOptions<Given, Failure, Selected, QueryKey>, Own>;
type SuspenseQuery<Given, Selected, Failure> = Omit<UseSuspenseQueryOptions<Given, Failure, Selected, QueryKey>, Own>;

/** Why a hook of this operation failed. */
type ErrorAt<Failures, Method extends Verb, Path extends string> = QueryError<
  FailureOf<Failures, NameOf<Method, Path>>
>;

/** Hooks for the paths of a contract. Their errors are exceptions. `Failures`: see `FailureOf`. */
export type QueryHooks<Paths extends object, Failures = CallError> = {
  useQuery: <
    Path extends PathWith<Paths, 'get'>,
    Init extends InitFor<Paths, 'get', Path>,
    Selected = Data<Paths, 'get', Path, Init>,
  >(
    method: 'get',
    path: Path,
    ...rest: Rest<
      Init,
      InitFor<Paths, 'get', Path>,
      Query<Data<Paths, 'get', Path, Init>, Selected, ErrorAt<Failures, 'get', Path>>
    >
  ) => UseQueryResult<Selected, ErrorAt<Failures, 'get', Path>>;

  useSuspenseQuery: <
    Path extends PathWith<Paths, 'get'>,
    Init extends InitFor<Paths, 'get', Path>,
    Selected = Data<Paths, 'get', Path, Init>,
  >(
    method: 'get',
    path: Path,
    ...rest: Rest<
      Init,
      InitFor<Paths, 'get', Path>,
      SuspenseQuery<Data<Paths, 'get', Path, Init>, Selected, ErrorAt<Failures, 'get', Path>>
    >
  ) => UseSuspenseQueryResult<Selected, ErrorAt<Failures, 'get', Path>>;

  /** The key and the function of a query, for `prefetchQuery`, `useQueries` and others. The key has the type of the data. */
  queryOptions: <
    Path extends PathWith<Paths, 'get'>,
    Init extends InitFor<Paths, 'get', Path>,
    Selected = Data<Paths, 'get', Path, Init>,
  >(
    method: 'get',
    path: Path,
    ...rest: Rest<
      Init,
      InitFor<Paths, 'get', Path>,
      Query<Data<Paths, 'get', Path, Init>, Selected, ErrorAt<Failures, 'get', Path>>
    >
  ) => Query<Data<Paths, 'get', Path, Init>, Selected, ErrorAt<Failures, 'get', Path>> &
    Pick<QueryOptions<Data<Paths, 'get', Path, Init>, ErrorAt<Failures, 'get', Path>>, Own>;

  useMutation: <Method extends MutationMethod, Path extends PathWith<Paths, Method>, Context = unknown>(
    method: Method,
    path: Path,
    options?: Omit<
      UseMutationOptions<
        MutationData<Paths, Method, Path>,
        ErrorAt<Failures, Method, Path>,
        InitFor<Paths, Method, Path>,
        Context
      >,
      'mutationKey' | 'mutationFn'
    >,
    queryClient?: QueryClient,
  ) => UseMutationResult<
    MutationData<Paths, Method, Path>,
    ErrorAt<Failures, Method, Path>,
    InitFor<Paths, Method, Path>,
    Context
  >;
};

/** The type of the data does not depend on `parseAs`, because only `mutate` takes it, after the hook has its type. */
type MutationData<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>> = Data<
  Paths,
  Method,
  Path,
  InitFor<Paths, Method, Path>
>;

/** The options of an infinite query: `staleTime`, `enabled` and others of react-query. `select` gets all items so far. */
export type ListOptions<Item, Selected = Item[], Failure = QueryError> = Omit<
  UseInfiniteQueryOptions<ListPage<Item>, Failure, Selected, QueryKey, string>,
  Own | 'initialPageParam' | 'getNextPageParam' | 'select'
> & { select?: (items: Item[]) => Selected };

type ListArguments<Path extends PathWith<Paths, 'get'>, Paths extends object, Then extends unknown[]> =
  ListRest<Path, Paths> extends [init: infer Init]
    ? [method: 'get', path: Path, init: Init, ...then: Partial<Then>]
    : [method: 'get', path: Path, init?: ListInit<Path, Paths>, ...then: Partial<Then>];

type Then<Item, Selected, Failure> = [options: ListOptions<Item, Selected, Failure>, queryClient: QueryClient];

/** Hooks for lists. The data is one array with the items of all pages so far; `fetchNextPage` follows the `Link` header. */
export type ListHooks<Paths extends object, Failures = CallError, Table extends PagingTable = OnlyLinks> = {
  useInfiniteQuery: <Path extends ListPath<Paths, Table>, Selected = ListItem<Path, Paths, Table>[]>(
    ...given: ListArguments<Path, Paths, Then<ListItem<Path, Paths, Table>, Selected, ErrorAt<Failures, 'get', Path>>>
  ) => UseInfiniteQueryResult<Selected, ErrorAt<Failures, 'get', Path>>;

  useSuspenseInfiniteQuery: <Path extends ListPath<Paths, Table>, Selected = ListItem<Path, Paths, Table>[]>(
    ...given: ListArguments<Path, Paths, Then<ListItem<Path, Paths, Table>, Selected, ErrorAt<Failures, 'get', Path>>>
  ) => UseSuspenseInfiniteQueryResult<Selected, ErrorAt<Failures, 'get', Path>>;

  /** The same options for `prefetchInfiniteQuery` and others. */
  infiniteQueryOptions: <Path extends ListPath<Paths, Table>>(
    ...given: ListArguments<Path, Paths, []>
  ) => InfiniteOptions<ListItem<Path, Paths, Table>, ListItem<Path, Paths, Table>[], ErrorAt<Failures, 'get', Path>>;
};
