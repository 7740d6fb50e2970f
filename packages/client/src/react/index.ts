'use client';
/** Hooks of react-query for the operations of the contract, for one client of createAnimalStore. */
import { idempotentOperations, type paths } from '@animal-store/contract';
import * as core from '@contract-first/client/react';
import type { QueryClient } from '@tanstack/react-query';
import type { Store } from '../animal-store.ts';
import type { OperationErrors } from '../generated/errors.ts';
import type { AnimalStoreError } from '../queries/index.ts';

export type { ListPage, NullOf } from '@contract-first/client/queries';
export type { AnimalStoreError, InfiniteOptions, QueryOptions } from '../queries/index.ts';

/** The hooks of react-query for the operations of a contract, and the quota. */
export type AnimalStoreHooks<Paths extends object = paths> = core.Hooks<Paths, OperationErrors>;

/** Hooks for the paths of a contract. Their errors are exceptions. */
export type QueryHooks<Paths extends object = paths> = core.QueryHooks<Paths, OperationErrors>;

/** Hooks for lists. The data is one array with the items of all pages so far; `fetchNextPage` follows the `Link` header. */
export type ListHooks<Paths extends object = paths> = core.ListHooks<Paths, OperationErrors>;

/** The options of an infinite query: `staleTime`, `enabled` and others of react-query. `select` gets all items so far. */
export type ListOptions<Item, Selected = Item[]> = core.ListOptions<Item, Selected, AnimalStoreError>;

/**
 * Hooks for one client. Create them once, together with the client. They fail with an ApiError, a RateLimitError or a NetworkError, and
 * leave retries to the client: those of react-query are off.
 *
 * Cached data belongs to the API key: give each client its own `QueryClient`.
 */
export function createAnimalStoreHooks<Paths extends object = paths>(store: Store<Paths>): AnimalStoreHooks<Paths> {
  return core.createHooks(store, { idempotentOperations });
}

/**
 * Marks the data of these paths, and of the paths below them, as out of date. react-query then fetches what is on screen again. For
 * `onSuccess` of a mutation: `invalidate(queryClient, '/pets')` covers the list of pets and each pet.
 */
export const invalidate: <Paths extends object = paths>(
  queryClient: QueryClient,
  ...changed: (keyof Paths)[]
) => Promise<void> = core.invalidate;
