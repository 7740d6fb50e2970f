/** Type tests of the hooks and the mocks; see client.types.ts. */
import { type QueryClient, useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import {
  type CreatePetError,
  isRateLimitError,
  type ListOrdersError,
  type ListPetsError,
  type Order,
  type Pet,
} from '../../src/index.ts';
import type { AnimalStoreMocks } from '../../src/mocks/index.ts';
import type { QueryError } from '../../src/queries/index.ts';
import type { AnimalStoreError, AnimalStoreHooks } from '../../src/react/index.ts';

/** Compiles only if both types are the same, optional properties included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

declare const hooks: AnimalStoreHooks;
declare const queryClient: QueryClient;
declare const mocks: AnimalStoreMocks;

export function useQueries(): void {
  const pets = hooks.useQuery('get', '/pets', { params: { query: { status: 'sold' } } });
  holds<Same<typeof pets.data, Pet[] | undefined>>();
  holds<Same<typeof pets.error, QueryError<ListPetsError> | null>>();
  const names = hooks.useQuery('get', '/pets', {}, { select: (all) => all.map(({ name }) => name) });
  holds<Same<typeof names.data, string[] | undefined>>();
  const orders = hooks.useInfiniteQuery('get', '/store/orders', {}, { staleTime: 1_000 });
  holds<Same<typeof orders.data, Order[] | undefined>>();
  holds<Same<typeof orders.error, QueryError<ListOrdersError> | null>>();
  orders.error satisfies AnimalStoreError | null;
  const pet = hooks.useSuspenseQuery('get', '/pets/{petId}', { params: { path: { petId: 1 } } });
  holds<Same<typeof pet.data, Pet>>();
  const cached = queryClient.getQueryData(hooks.queryOptions('get', '/pets').queryKey);
  holds<Same<typeof cached, Pet[] | undefined>>();
  const count = hooks.useInfiniteQuery('get', '/pets', {}, { select: (pets) => pets.length });
  holds<Same<typeof count.data, number | undefined>>();
  const all = hooks.useSuspenseInfiniteQuery('get', '/pets', {}, { select: (pets) => pets.map(({ name }) => name) });
  holds<Same<typeof all.data, string[]>>();
  const suspended = useSuspenseInfiniteQuery(hooks.infiniteQueryOptions('get', '/pets'));
  holds<Same<typeof suspended.data, Pet[]>>();
  useSuspenseQuery(hooks.queryOptions('get', '/pets')).data satisfies Pet[];

  // @ts-expect-error the path's parameter left out
  hooks.useQuery('get', '/pets/{petId}');
  // @ts-expect-error a path that the contract does not have
  hooks.useQuery('get', '/animals');
  // @ts-expect-error a status of the other list
  hooks.useInfiniteQuery('get', '/store/orders', { params: { query: { status: 'sold' } } });
  // @ts-expect-error the query outside of params
  hooks.useQuery('get', '/pets', { query: { status: 'sold' } });
  // @ts-expect-error a misspelled query parameter
  hooks.useSuspenseQuery('get', '/pets', { params: { query: { staus: 'sold' } } });
  // @ts-expect-error a misspelled option of a list
  hooks.useInfiniteQuery('get', '/pets', { signla: new AbortController().signal });
  // @ts-expect-error a path that lists nothing
  hooks.useInfiniteQuery('get', '/pets/{petId}');
}

export function useMutations(): void {
  const add = hooks.useMutation('post', '/pets');
  add.mutate({ body: { name: 'Rex', categoryId: 3 }, params: { header: { 'Idempotency-Key': 'a' } } });
  holds<Same<typeof add.data, Pet | undefined>>();
  holds<Same<typeof add.error, QueryError<CreatePetError> | null>>();
  if (isRateLimitError(add.error)) add.error.retryAfter satisfies number;

  // @ts-expect-error a property left out
  add.mutate({ body: { name: 'Rex' } });
  // @ts-expect-error a method that the path does not have
  hooks.useMutation('delete', '/pets');
}

export function replies(): void {
  mocks.reply('createPet', 409, { once: true });
  mocks.reply('listPets', 429, { example: 'banned' });
  mocks.reply('listPets', 200, { body: [{ id: 1, name: 'Rex', categoryId: 3 }] });

  // @ts-expect-error a status that the operation does not document
  mocks.reply('listPets', 404);
  // @ts-expect-error an example of another response
  mocks.reply('createPet', 400, { example: 'banned' });
  // @ts-expect-error a body of another shape
  mocks.reply('listPets', 200, { body: [{ id: 1 }] });
  // @ts-expect-error an operation that the contract does not have
  mocks.reply('feedPet', 200);
}
