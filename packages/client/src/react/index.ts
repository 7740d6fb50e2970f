'use client';
/** Hooks of react-query for the operations of the contract, for one client of createAnimalStore. */
export type { AnimalStoreError } from '../queries/errors.ts';
export type { InfiniteOptions, ListPage, NullOf, QueryOptions } from '../queries/options.ts';
export { type AnimalStoreHooks, createAnimalStoreHooks } from './create-animal-store-hooks.ts';
export type { ListHooks, ListOptions, QueryHooks } from './hooks.ts';
export { invalidate } from './invalidate.ts';
