/** Named methods and queries compile only with the parameters and options that they have; see client.types.ts. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import {
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import {
  type AnimalStore,
  type CreatePetError,
  createAnimalStore,
  type ListPetsError,
  type ListPetsParams,
  listPets,
  type Order,
  type Page,
  type Pet,
  updatePet,
} from '../../src/operations/index.ts';
import {
  type AnimalStoreError,
  type AnimalStoreQueries,
  createAnimalStoreQueries,
  type DataWithHeaders,
  type ListPage,
  type QueryError,
} from '../../src/queries/index.ts';

/** Compiles only if both types are the same, optional properties included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

declare const store: AnimalStore;
declare const signal: AbortSignal;
declare const queryClient: QueryClient;
declare const { queries, mutations }: AnimalStoreQueries;
declare const status: 'available' | undefined;

export async function methods(): Promise<void> {
  const page = await store.pets.list({ status, limit: 5 }, { timeout: 1_000, maxRetries: 0, maxRetryAfter: 0, signal });
  holds<Same<typeof page, Page<Pet>>>();
  for await (const pet of store.pets.list()) holds<Same<typeof pet, Pet>>();
  for await (const orders of store.beta.orders.list({ cursor: page.nextCursor }).pages()) {
    holds<Same<typeof orders, Page<Order>>>();
  }
  const body = { name: 'Rex', categoryId: 3 };
  const created = await store.pets.create({ body }, { idempotencyKey: 'a', headers: { 'X-Trace': 'b' } });
  holds<Same<typeof created, Pet>>();
  const { data, requestId } = await store.pets.delete({ petId: 1 }).withResponse();
  holds<Same<typeof data, undefined>>();
  holds<Same<typeof requestId, string | undefined>>();
  const changed = await updatePet(store, { petId: 1, 'If-Match': '*', body: { status: null } });
  holds<Same<typeof changed, Pet>>();
  const all: ListPetsParams = {};
  await listPets(createAnimalStore({ apiKey: '', baseUrl: '' }), all);

  // @ts-expect-error a misspelled parameter
  await store.pets.list({ staus: 'sold' });
  // @ts-expect-error a misspelled parameter next to a valid one, in a call of the function
  await listPets(store, { status: 'sold', limitt: 1 });
  // @ts-expect-error a status that does not exist
  await store.pets.list({ status: 'lost' });
  // @ts-expect-error a misspelled option
  await store.pets.list({}, { signla: signal });
  // @ts-expect-error an option of openapi-fetch
  await store.pets.list({}, { parseAs: 'text' });
  // @ts-expect-error a timeout that is text
  await store.pets.list({}, { timeout: '30s' });
  // @ts-expect-error parameters of an operation that has none
  await store.keys.get({ keyId: 1 });
  // @ts-expect-error no parameters
  await store.pets.get();
  // @ts-expect-error the ID as text
  await store.pets.get({ petId: '1' });
  // @ts-expect-error the body left out
  await store.pets.create({});
  // @ts-expect-error a property that the body does not have
  await store.pets.create({ body: { name: 'Rex', categoryId: 3, colour: 'brown' } });
  // @ts-expect-error a 304 has no data
  await store.pets.list({ 'If-None-Match': '"1"' });
  // @ts-expect-error the key of the call, which is an option
  await store.pets.create({ body, 'Idempotency-Key': 'a' });
  // @ts-expect-error a beta operation is in `beta`
  await store.orders.list();
  // @ts-expect-error a stable operation is not in `beta`
  await store.beta.pets.list();
  // @ts-expect-error another client
  await listPets({ request: 1 });

  const misspelled = { staus: 'sold' };
  // @ts-expect-error no property in common
  await store.pets.list(misspelled);
  const surplus = { status: 'sold' as const, limitt: 1 };
  // TypeScript does not report it, because the type of the variable has a property in common. The API refuses it: 400.
  await store.pets.list(surplus);
}

export function useQueryOptions(): void {
  const cached = queryClient.getQueryData(queries.pets.list({ status: 'sold' }).queryKey);
  holds<Same<typeof cached, Pet[] | undefined>>();
  queryClient.setQueryData(queries.pets.list().queryKey, (pets) => pets?.filter(({ id }) => id !== 1));
  // @ts-expect-error another type of data
  queryClient.setQueryData(queries.pets.list().queryKey, [{ id: 'a' }]);
  const pages = queryClient.getQueryData(queries.pets.list.infinite().queryKey);
  holds<Same<typeof pages, InfiniteData<ListPage<Pet>, string> | undefined>>();

  const { data, error } = useQuery(queries.pets.list());
  holds<Same<typeof data, Pet[] | undefined>>();
  holds<Same<typeof error, QueryError<ListPetsError> | null>>();
  error satisfies AnimalStoreError | null;
  const names = useQuery({ ...queries.pets.list(), select: (pets) => pets.map(({ name }) => name), staleTime: 5 });
  holds<Same<typeof names.data, string[] | undefined>>();
  const order = useSuspenseQuery(queries.beta.orders.get({ orderId: 1 }));
  holds<Same<typeof order.data, Order>>();
  const all = useSuspenseInfiniteQuery(queries.pets.list.infinite({ limit: 5 }));
  holds<Same<typeof all.data, Pet[]>>();
  const some = useInfiniteQuery({ ...queries.pets.list.infinite(), select: (given) => given.pages.length });
  holds<Same<typeof some.data, number | undefined>>();
  const etag = useQuery(queries.pets.list.withHeaders({ id: [1] }));
  holds<Same<typeof etag.data, DataWithHeaders<Pet[]> | undefined>>();
  const [first] = useQueries({ queries: [queries.pets.list(), queries.keys.get()] });
  holds<Same<typeof first.data, Pet[] | undefined>>();
  void queryClient.prefetchQuery(queries.pets.list());
  void queryClient.prefetchInfiniteQuery(queries.pets.list.infinite());

  const add = useMutation(mutations.pets.create());
  add.mutate({ body: { name: 'Rex', categoryId: 3 } });
  holds<Same<typeof add.data, Pet | undefined>>();
  holds<Same<typeof add.error, QueryError<CreatePetError> | null>>();
  const remove = useMutation({ ...mutations.pets.delete(), onSuccess: (nothing: null) => nothing });
  holds<Same<typeof remove.data, null | undefined>>();
  const update = useMutation(mutations.pets.update.withHeaders());
  holds<Same<typeof update.data, DataWithHeaders<Pet> | undefined>>();

  // @ts-expect-error a misspelled parameter
  useQuery(queries.pets.list({ staus: 'sold' }));
  // @ts-expect-error the ID left out
  useQuery(queries.beta.orders.get());
  // @ts-expect-error a property left out
  add.mutate({ body: { name: 'Rex' } });
  // @ts-expect-error a mutation is not a query
  queries.pets.create();
}

export const made: AnimalStoreQueries = createAnimalStoreQueries(store);
