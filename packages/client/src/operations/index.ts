/** Each operation as a function, `listPets(store)`, and everything of the main entry. */
export type { Call, ListCall, WithResponse } from '@contract-first/client/operations';
export type { Caller } from '../animal-store.ts';
export * from '../generated/operations.ts';
export * from '../index.ts';
