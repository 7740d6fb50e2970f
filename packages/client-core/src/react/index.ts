/** Hooks of react-query for the operations of any contract. */
export { createHooks, type Hooks } from './create-hooks.ts';
export type { ListHooks, ListOptions, QueryHooks } from './hooks.ts';
export { invalidate } from './invalidate.ts';
