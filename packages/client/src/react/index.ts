/** Hooks for React: the operations of the contract through openapi-react-query, for one client of createAnimalStore. */
export { type AnimalStoreHooks, createAnimalStoreHooks } from './create-animal-store-hooks.ts';
export type { AnimalStoreError } from './errors.ts';
export type { QueryHooks } from './hooks.ts';
export { invalidate } from './invalidate.ts';
export type { ListHooks, ListOptions, ListPage } from './list.ts';
