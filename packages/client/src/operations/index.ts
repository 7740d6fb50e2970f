/** The client with a method for each operation, `store.pets.list()`, and each operation as a function, `listPets(store)`. */
import {
  type AnimalStoreOptions,
  createAnimalStore as createPlainStore,
  type AnimalStore as PlainStore,
} from '../animal-store.ts';
import { type NamedMethods, namedMethods } from '../generated/operations.ts';

export type { Call, ListCall, ParamsOf, WithResponse } from '@contract-first/client/operations';
export type { Caller } from '../animal-store.ts';
export * from '../generated/operations.ts';
// Replaced below: createAnimalStore and AnimalStore.
export * from '../index.ts';

/** The operations of the contract by name, `pets.list(...)`, and by path, `GET('/pets', ...)`. */
export type AnimalStore = PlainStore & NamedMethods;

/**
 * A client for one API key, with a method for each operation. A named method resolves to the data, and throws an ApiError if the API
 * returns an error. Create one client for each key and share it.
 *
 * @throws TypeError if an option is invalid
 */
export function createAnimalStore(options: AnimalStoreOptions): AnimalStore {
  const store = createPlainStore(options);
  return Object.assign(store, namedMethods(store));
}
