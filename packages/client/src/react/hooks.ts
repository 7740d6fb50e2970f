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
import type { Client, ClientPathsWithMethod, MaybeOptionalInit, MethodResponse } from 'openapi-fetch';
import type { AnimalStoreError } from './errors.ts';

type Method = 'get' | 'post';
type PathWith<Verb extends Method> = ClientPathsWithMethod<Client<paths>, Verb>;
type Data<Verb extends Method, Path extends PathWith<Verb>> = MethodResponse<Client<paths>, Verb, Path>;
type Init<Verb extends Method, Path extends PathWith<Verb>> = MaybeOptionalInit<paths[Path], Verb>;

/** What follows the path: parameters and body, which some operations need and others do not, then what a hook takes. */
type Rest<Path extends PathWith<'get'>, Options> =
  undefined extends Init<'get', Path>
    ? [init?: Init<'get', Path>, options?: Options, queryClient?: QueryClient]
    : [init: Init<'get', Path>, options?: Options, queryClient?: QueryClient];

type Own = 'queryKey' | 'queryFn';
type Query<Given, Selected> = UseQueryOptions<Given, AnimalStoreError, Selected, QueryKey>;
type SuspenseQuery<Given, Selected> = UseSuspenseQueryOptions<Given, AnimalStoreError, Selected, QueryKey>;
type Mutation<Given, Variables, Context> = UseMutationOptions<Given, AnimalStoreError, Variables, Context>;

/** The hooks of openapi-react-query for the paths of the contract, with exceptions for errors. */
export type QueryHooks = {
  useQuery: <Path extends PathWith<'get'>, Selected = Data<'get', Path>>(
    method: 'get',
    path: Path,
    ...rest: Rest<Path, Omit<Query<Data<'get', Path>, Selected>, Own>>
  ) => UseQueryResult<Selected, AnimalStoreError>;

  useSuspenseQuery: <Path extends PathWith<'get'>, Selected = Data<'get', Path>>(
    method: 'get',
    path: Path,
    ...rest: Rest<Path, Omit<SuspenseQuery<Data<'get', Path>, Selected>, Own>>
  ) => UseSuspenseQueryResult<Selected, AnimalStoreError>;

  /** Key and function of a query, for `prefetchQuery`, `useQueries` and their like. */
  queryOptions: <Path extends PathWith<'get'>, Selected = Data<'get', Path>>(
    method: 'get',
    path: Path,
    ...rest: Rest<Path, Omit<Query<Data<'get', Path>, Selected>, Own>>
  ) => Omit<Query<Data<'get', Path>, Selected>, 'queryFn'> & {
    queryFn: QueryFunction<Data<'get', Path>>;
  };

  useMutation: <Path extends PathWith<'post'>, Context = unknown>(
    method: 'post',
    path: Path,
    options?: Omit<Mutation<Data<'post', Path>, Init<'post', Path>, Context>, 'mutationKey' | 'mutationFn'>,
    queryClient?: QueryClient,
  ) => UseMutationResult<Data<'post', Path>, AnimalStoreError, Init<'post', Path>, Context>;
};
