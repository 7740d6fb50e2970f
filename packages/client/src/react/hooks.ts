import type { paths } from '@animal-store/contract';
import type {
  QueryClient,
  QueryFunction,
  QueryKey,
  UseMutationOptions,
  UseMutationResult,
  UseQueryOptions,
  UseQueryResult,
  UseSuspenseQueryOptions,
  UseSuspenseQueryResult,
} from '@tanstack/react-query';
import type { DataOf, InitOf, OperationOf, PathWith, Verb } from '../methods.ts';
import type { AnimalStoreError } from './errors.ts';

/** The methods of mutations. */
export type MutationMethod = 'post' | 'put' | 'patch' | 'delete';

type InitFor<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>> = InitOf<
  OperationOf<Paths, Method, Path>
>;

/** The `data` of a hook: the data of the operation, or null if the response has no body. */
type Data<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>, Init> = NullOf<
  DataOf<OperationOf<Paths, Method, Path>, Init>
>;
type NullOf<Given> = Given extends undefined ? null : Given;

/** What follows the path: parameters and body, which some operations need and others do not, then what a hook takes. */
type Rest<Init, Options> = undefined extends Init
  ? [init?: Init, options?: Options, queryClient?: QueryClient]
  : [init: Init, options?: Options, queryClient?: QueryClient];

type Own = 'queryKey' | 'queryFn';
type Query<Given, Selected> = UseQueryOptions<Given, AnimalStoreError, Selected, QueryKey>;
type SuspenseQuery<Given, Selected> = UseSuspenseQueryOptions<Given, AnimalStoreError, Selected, QueryKey>;
type Mutation<Given, Variables, Context> = UseMutationOptions<Given, AnimalStoreError, Variables, Context>;

/** The hooks of openapi-react-query for the paths of a contract, with exceptions for errors. */
export type QueryHooks<Paths extends object = paths> = {
  useQuery: <
    Path extends PathWith<Paths, 'get'>,
    Init extends InitFor<Paths, 'get', Path>,
    Selected = Data<Paths, 'get', Path, Init>,
  >(
    method: 'get',
    path: Path,
    ...rest: Rest<Init, Omit<Query<Data<Paths, 'get', Path, Init>, Selected>, Own>>
  ) => UseQueryResult<Selected, AnimalStoreError>;

  useSuspenseQuery: <
    Path extends PathWith<Paths, 'get'>,
    Init extends InitFor<Paths, 'get', Path>,
    Selected = Data<Paths, 'get', Path, Init>,
  >(
    method: 'get',
    path: Path,
    ...rest: Rest<Init, Omit<SuspenseQuery<Data<Paths, 'get', Path, Init>, Selected>, Own>>
  ) => UseSuspenseQueryResult<Selected, AnimalStoreError>;

  /** Key and function of a query, for `prefetchQuery`, `useQueries` and their like. */
  queryOptions: <
    Path extends PathWith<Paths, 'get'>,
    Init extends InitFor<Paths, 'get', Path>,
    Selected = Data<Paths, 'get', Path, Init>,
  >(
    method: 'get',
    path: Path,
    ...rest: Rest<Init, Omit<Query<Data<Paths, 'get', Path, Init>, Selected>, Own>>
  ) => Omit<Query<Data<Paths, 'get', Path, Init>, Selected>, 'queryFn'> & {
    queryFn: QueryFunction<Data<Paths, 'get', Path, Init>>;
  };

  useMutation: <Method extends MutationMethod, Path extends PathWith<Paths, Method>, Context = unknown>(
    method: Method,
    path: Path,
    options?: Omit<
      Mutation<MutationData<Paths, Method, Path>, InitFor<Paths, Method, Path>, Context>,
      'mutationKey' | 'mutationFn'
    >,
    queryClient?: QueryClient,
  ) => UseMutationResult<MutationData<Paths, Method, Path>, AnimalStoreError, InitFor<Paths, Method, Path>, Context>;
};

/** The type of the data does not depend on `parseAs`, because only `mutate` takes it, after the hook has its type. */
type MutationData<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>> = Data<
  Paths,
  Method,
  Path,
  InitFor<Paths, Method, Path>
>;
